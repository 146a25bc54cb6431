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

# It decodes with a file of the command line tool.
target_sources(fuzz_decode_frame PRIVATE ${PROJECT_SOURCE_DIR}/apps/gate/frame_decoder.cpp)
target_include_directories(fuzz_decode_frame PRIVATE ${PROJECT_SOURCE_DIR}/apps)
