# libFuzzer targets: fuzz_<name> from tests/fuzz/<name>.cpp. The library is compiled with the same
# instrumentation, otherwise the fuzzer would be blind to its branches.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "EVERBLOOM_FUZZ needs clang (libFuzzer); the compiler is ${CMAKE_CXX_COMPILER_ID}. "
                      "Use the preset `fuzz`.")
endif()

set(checks address,undefined)
target_compile_options(everbloom PRIVATE -fsanitize=fuzzer-no-link,${checks} -fno-sanitize-recover=all)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(fuzz_${name} ${source})
  everbloom_own_executable(fuzz_${name})
  target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(fuzz_${name} PRIVATE everbloom::everbloom)
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,${checks} -fno-sanitize-recover=all)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,${checks})
endforeach()

# They read with files of the command line tool.
target_sources(fuzz_decode_frame PRIVATE ${PROJECT_SOURCE_DIR}/apps/gate/frame_decoder.cpp)
target_include_directories(fuzz_decode_frame PRIVATE ${PROJECT_SOURCE_DIR}/apps)
foreach(parts "gate_patterns;pattern_filter;patterns/byte_matcher;patterns/byte_pattern_list;patterns/pattern_line"
              "gate_blacklist;address_ranges;ip_address" "gate_streams;flows/flow_records;flows/flow_table")
  list(POP_FRONT parts name)
  list(TRANSFORM parts REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/apps/gate/\\1.cpp")
  target_sources(fuzz_${name} PRIVATE ${parts})
  target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/apps ${PROJECT_SOURCE_DIR}/apps/everbloom)
endforeach()
find_package(absl REQUIRED)
target_link_libraries(fuzz_gate_patterns PRIVATE absl::flat_hash_map)
target_link_libraries(fuzz_gate_streams PRIVATE absl::flat_hash_map)
