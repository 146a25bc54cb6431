# The benchmarks: one executable made of all of bench/. libbloom is measured beside us when it is there; peers that are
# not part of this tree are compiled in with
#   -DEVERBLOOM_BENCH_PEERS=<source files, see bench/peers/peer.hpp>
#   -DEVERBLOOM_BENCH_PEER_OPTIONS=<compiler options for them, for example -isystem;/path/include;-mavx2>

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
list(FILTER sources EXCLUDE REGEX "/bench/single/")
if(NOT sources)
  return()
endif()
set(EVERBLOOM_BENCH_PEERS "" CACHE STRING "Further peers for the benchmarks: source files")
set(EVERBLOOM_BENCH_PEER_OPTIONS "" CACHE STRING "Compiler options for the further peers")

find_package(benchmark REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_executable(everbloom_bench ${sources} ${EVERBLOOM_BENCH_PEERS})
target_include_directories(everbloom_bench PRIVATE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_BINARY_DIR}/generated)
set_source_files_properties(${EVERBLOOM_BENCH_PEERS} PROPERTIES COMPILE_OPTIONS "${EVERBLOOM_BENCH_PEER_OPTIONS}")
target_link_libraries(everbloom_bench PRIVATE everbloom::everbloom benchmark::benchmark fmt::fmt
                                              nlohmann_json::nlohmann_json)
everbloom_own_executable(everbloom_bench)

find_path(LIBBLOOM_INCLUDE_DIR bloom.h)
find_library(LIBBLOOM_LIBRARY bloom)
mark_as_advanced(LIBBLOOM_INCLUDE_DIR LIBBLOOM_LIBRARY)
if(LIBBLOOM_INCLUDE_DIR AND LIBBLOOM_LIBRARY)
  target_include_directories(everbloom_bench SYSTEM PRIVATE ${LIBBLOOM_INCLUDE_DIR})
  target_link_libraries(everbloom_bench PRIVATE ${LIBBLOOM_LIBRARY})
  target_compile_definitions(everbloom_bench PRIVATE EVERBLOOM_HAVE_LIBBLOOM)
endif()

# A program of its own: the times of single operations, of which a mean says nothing.
add_executable(everbloom_operation_times EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/single/operation_times.cpp)
target_link_libraries(everbloom_operation_times PRIVATE everbloom::everbloom)
everbloom_own_executable(everbloom_operation_times)

# The same for slow filters: memory, disk space and updates.
add_executable(everbloom_slow_updates EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/single/slow_updates.cpp)
target_link_libraries(everbloom_slow_updates PRIVATE everbloom::everbloom)
everbloom_own_executable(everbloom_slow_updates)

# One filter in memory for many threads.
add_executable(everbloom_shared_updates EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/single/shared_updates.cpp)
target_link_libraries(everbloom_shared_updates PRIVATE everbloom::everbloom)
everbloom_own_executable(everbloom_shared_updates)

# What tools/check_instructions counts.
add_executable(everbloom_hot_loops EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/single/hot_loops.cpp)
target_link_libraries(everbloom_hot_loops PRIVATE everbloom::everbloom)
everbloom_own_executable(everbloom_hot_loops)
