# The C interface: capi/include/everbloom.h over the library, twice.
#
#   everbloom_c          libeverbloom.so.0, which shows eb_* and nothing else; installed, everbloom::everbloom_c for others
#   everbloom_c_static   the same as an archive, for what must be one file: the extension of SQLite, Python packages. Not installed

file(GLOB capi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/capi/src/*.cpp)

add_library(everbloom_c_static STATIC ${capi_sources})
target_include_directories(everbloom_c_static PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/capi/include>)
target_link_libraries(everbloom_c_static PRIVATE everbloom::everbloom)
set_target_properties(everbloom_c_static PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                    VISIBILITY_INLINES_HIDDEN ON)
everbloom_own(everbloom_c_static)
everbloom_compile_together(everbloom_c_static capi/src=3)

if(EMSCRIPTEN)
  return() # WebAssembly has no shared objects
endif()

# The objects of the archive, so that nothing is compiled twice.
add_library(everbloom_c SHARED $<TARGET_OBJECTS:everbloom_c_static>)
add_library(everbloom::everbloom_c ALIAS everbloom_c)
target_sources(everbloom_c PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/capi/include
                                  FILES ${PROJECT_SOURCE_DIR}/capi/include/everbloom.h)
target_link_libraries(everbloom_c PRIVATE $<BUILD_INTERFACE:everbloom::everbloom>)
# Beside it lies libeverbloom.a, the C++ library. A linker that is told -leverbloom takes the shared object, so everbloom.pc names the
# archive in full.
set_target_properties(everbloom_c PROPERTIES OUTPUT_NAME everbloom VERSION 0.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
                                             SOVERSION 0 LINKER_LANGUAGE CXX)
everbloom_export_only(everbloom_c ${PROJECT_SOURCE_DIR}/capi/exports.map)
if(NOT EVERBLOOM_SANITIZE AND NOT EVERBLOOM_ENTRIES_IN_TESTS AND NOT APPLE) # there it is the default
  target_link_options(everbloom_c PRIVATE LINKER:--no-undefined)
endif()
# Not everbloom_own: a C project that links it needs no C++20.
if(EVERBLOOM_SANITIZE)
  target_link_options(everbloom_c PRIVATE -fsanitize=${EVERBLOOM_SANITIZE})
endif()
