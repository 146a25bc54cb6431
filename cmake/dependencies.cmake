# What the library itself needs: threads, and xxhash.h while it is compiled. Users of an installed everbloom need threads only
# (everbloomConfig.cmake.in, everbloom.pc.in), and xxhash.h if they include <everbloom/hash/xxh3.hpp>.


if(EMSCRIPTEN)
  # WebAssembly: one thread, and only those headers of packages that are the same everywhere, not those of this machine's C library beside
  # them.
  set(foreign ${PROJECT_BINARY_DIR}/foreign)
  file(MAKE_DIRECTORY ${foreign})
  foreach(header boost xxhash.h)
    file(CREATE_LINK /usr/include/${header} ${foreign}/${header} SYMBOLIC)
  endforeach()
  add_library(everbloom_foreign INTERFACE)
  target_compile_options(everbloom_foreign INTERFACE "SHELL:-idirafter ${foreign}")
  add_library(PkgConfig::libxxhash ALIAS everbloom_foreign)
  return()
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
set(everbloom_dependencies Threads::Threads)
