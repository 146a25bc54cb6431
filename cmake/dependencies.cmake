# What the library itself needs. The same list, for those who use an installed everbloom, is in
# everbloomConfig.cmake.in and everbloom.pc.in.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libmurmurhash REQUIRED IMPORTED_TARGET libmurmurhash)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)
set(everbloom_dependencies tl::expected PkgConfig::libxxhash PkgConfig::libmurmurhash PkgConfig::libsodium
                           Threads::Threads)
