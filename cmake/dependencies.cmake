# What the library itself needs. The same list, for those who use an installed everbloom, is in
# everbloomConfig.cmake.in and everbloom.pc.in.

if(EMSCRIPTEN)
  # A WebAssembly build cannot link the machine's libraries, and must not see /usr/include at all (the wrong
  # libc lives there). Two of our dependencies are usable as plain headers: they are copied to a place of
  # their own. The others are absent, so code that wants them asks with __has_include.
  set(wasm_include ${PROJECT_BINARY_DIR}/deps/include)
  foreach(header tl/expected.hpp xxhash.h)
    string(MAKE_C_IDENTIFIER "EVERBLOOM_WASM_${header}" found)
    find_path(${found} ${header} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    cmake_path(GET header PARENT_PATH folder)
    file(COPY ${${found}}/${header} DESTINATION ${wasm_include}/${folder})
  endforeach()
  add_library(everbloom_wasm_headers INTERFACE)
  target_include_directories(everbloom_wasm_headers SYSTEM INTERFACE $<BUILD_INTERFACE:${wasm_include}>)
  set(everbloom_dependencies $<BUILD_INTERFACE:everbloom_wasm_headers>)
  return()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libmurmurhash REQUIRED IMPORTED_TARGET libmurmurhash)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)
set(everbloom_dependencies tl::expected PkgConfig::libxxhash PkgConfig::libmurmurhash PkgConfig::libsodium
                           Threads::Threads)
