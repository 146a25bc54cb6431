# The library: headers in include/, the compiled part in src/.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/everbloom/*.hpp
     ${PROJECT_SOURCE_DIR}/include/everbloom/*.h)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)

# One translation unit per kind of the list: all of a kind's code is compiled in make_entry.
set(kinds_header ${PROJECT_SOURCE_DIR}/include/everbloom/runtime/kinds.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kinds_header})
file(STRINGS ${kinds_header} kind_lines REGEX "kind<[0-9]+, basic_")
list(LENGTH kind_lines kind_count)
math(EXPR last_place "${kind_count} - 1")
foreach(place RANGE ${last_place})
  set(entry ${PROJECT_BINARY_DIR}/kinds/entry_${place}.cpp)
  file(CONFIGURE OUTPUT ${entry} CONTENT "#include \"make_entry.hpp\"

template everbloom::kind_entry everbloom::make_entry<everbloom::all_kinds::at<@place@>>();
" @ONLY)
  list(APPEND sources ${entry})
endforeach()

configure_file(cmake/version.hpp.in ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp @ONLY)

add_library(everbloom STATIC ${sources})
add_library(everbloom::everbloom ALIAS everbloom)
target_sources(everbloom PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
  FILES ${headers} ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp)
target_include_directories(everbloom PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(everbloom PUBLIC ${everbloom_dependencies})
# LINKER_LANGUAGE: so that an src/ without files still makes an (empty) archive.
set_target_properties(everbloom PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
everbloom_own(everbloom)
everbloom_precompile(everbloom <everbloom/runtime/any_filter.hpp> <everbloom/runtime/kinds.hpp>)
