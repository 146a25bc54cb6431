# The library: headers in include/, the compiled part in src/.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/everbloom/*.hpp
     ${PROJECT_SOURCE_DIR}/include/everbloom/*.h)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
configure_file(cmake/version.hpp.in ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp @ONLY)

add_library(everbloom STATIC ${sources})
add_library(everbloom::everbloom ALIAS everbloom)
target_sources(everbloom PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
  FILES ${headers} ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp)
target_link_libraries(everbloom PUBLIC ${everbloom_dependencies})
# LINKER_LANGUAGE: so that an src/ without files still makes an (empty) archive.
set_target_properties(everbloom PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
everbloom_own(everbloom)
