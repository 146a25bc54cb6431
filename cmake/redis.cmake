# The Redis module, everbloom.so: one file that needs nothing else of ours, because it has the library in it.

file(GLOB redis_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/redis/*.cpp)
set(redis_exports ${PROJECT_SOURCE_DIR}/bindings/redis/exports.map)
add_library(everbloom_redis MODULE ${redis_sources})
everbloom_own(everbloom_redis)
target_link_libraries(everbloom_redis PRIVATE everbloom::everbloom)
everbloom_compile_together(everbloom_redis bindings/redis=5)
everbloom_compile_alone(bindings/redis/server_new.cpp) # replaces operator new
if(EVERBLOOM_ENTRIES_IN_TESTS)
  # Under the sanitizers the library has no kinds: they are compiled together with the tests, which are not here.
  target_sources(everbloom_redis PRIVATE ${entries})
  target_include_directories(everbloom_redis PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
endif()
# The C++ library is linked in: a server that has another one loaded is not disturbed, and none need be installed.
everbloom_export_only(everbloom_redis ${redis_exports} -static-libstdc++ -static-libgcc LINKER:--no-undefined LINKER:--exclude-libs,ALL)
set_target_properties(everbloom_redis PROPERTIES OUTPUT_NAME everbloom PREFIX "" CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
set(EVERBLOOM_REDIS_DIR ${CMAKE_INSTALL_LIBDIR}/redis/modules CACHE STRING "Where the module is installed, below the prefix")
mark_as_advanced(EVERBLOOM_REDIS_DIR)
# Redis 7 loads no module that cannot be executed, and CMake installs shared objects without that bit on Debian.
install(TARGETS everbloom_redis LIBRARY DESTINATION ${EVERBLOOM_REDIS_DIR} COMPONENT redis
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(EVERBLOOM_TESTS)
  # A module that has the names of the peer's commands already, for the tests.
  add_library(everbloom_redis_rival MODULE ${PROJECT_SOURCE_DIR}/tests/redis/rival_module.cpp
                                           ${PROJECT_SOURCE_DIR}/bindings/redis/module_api.cpp)
  everbloom_own(everbloom_redis_rival)
  target_include_directories(everbloom_redis_rival PRIVATE ${PROJECT_SOURCE_DIR}/bindings/redis)
  everbloom_export_only(everbloom_redis_rival ${redis_exports})
  set_target_properties(everbloom_redis_rival PROPERTIES OUTPUT_NAME rival PREFIX "")
endif()
