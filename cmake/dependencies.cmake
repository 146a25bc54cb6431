# What the library itself needs: threads, and xxhash.h while it is compiled. Users of an installed everbloom need threads only
# (everbloomConfig.cmake.in, everbloom.pc.in), and xxhash.h if they include <everbloom/hash/xxh3.hpp>.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
set(everbloom_dependencies Threads::Threads)
