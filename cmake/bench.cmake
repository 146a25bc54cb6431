# The benchmarks: one executable made of all bench/*.cpp. libbloom is measured beside us when it is there.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(NOT sources)
  return()
endif()

find_package(benchmark REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_executable(everbloom_bench ${sources})
target_include_directories(everbloom_bench PRIVATE ${PROJECT_SOURCE_DIR}/bench)
target_link_libraries(everbloom_bench PRIVATE everbloom::everbloom benchmark::benchmark
                                              benchmark::benchmark_main fmt::fmt nlohmann_json::nlohmann_json)
everbloom_own_executable(everbloom_bench)

find_path(LIBBLOOM_INCLUDE_DIR bloom.h)
find_library(LIBBLOOM_LIBRARY bloom)
mark_as_advanced(LIBBLOOM_INCLUDE_DIR LIBBLOOM_LIBRARY)
if(LIBBLOOM_INCLUDE_DIR AND LIBBLOOM_LIBRARY)
  target_include_directories(everbloom_bench SYSTEM PRIVATE ${LIBBLOOM_INCLUDE_DIR})
  target_link_libraries(everbloom_bench PRIVATE ${LIBBLOOM_LIBRARY})
  target_compile_definitions(everbloom_bench PRIVATE EVERBLOOM_HAVE_LIBBLOOM)
endif()
