#include "frame/build_facts.hpp"

#include <everbloom/filter/kernel/line_batch.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/version.hpp>

#include <bzlib.h>
#include <fmt/format.h>
#include <idn2.h>
#include <lzma.h>
#include <pcap/pcap.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string_view>

namespace everbloom::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string build() {
    const std::string_view type = EVERBLOOM_BUILD_TYPE;
    const std::string_view sanitizers = EVERBLOOM_SANITIZERS;
    return fmt::format("{}{}{}", type.empty() ? "without a type" : type, sanitizers.empty() ? "" : ", sanitizers ",
                       sanitizers);
}

std::string xxhash_version() {
    const unsigned number = XXH_versionNumber(); // 801 is 0.8.1
    return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

/// The number in "libpcap version 1.10.3 (with TPACKET_V3)".
std::string pcap_version() {
    const std::string_view said = pcap_lib_version();
    const std::size_t begin = std::min(said.find_first_of("0123456789"), said.size());
    return std::string(said.substr(begin, said.find(' ', begin) - begin));
}

} // namespace

std::string version_and_build_facts() {
    return fmt::format("everbloom {}\n"
                       "released   {}\n"
                       "compiler   {}, build {}\n"
                       "files      format version {}\n"
                       "kinds      {}\n"
                       "processor  AVX2 {}\n"
                       "libraries  xxHash {}, zstd {}, xz {}, bzip2 {}, zlib {}, libpcap {}, libidn2 {}",
                       version_text, release_date, compiler(), build(), v1::version, known_kinds().size(),
                       kernel::has_avx2() ? "is used" : "is not available", xxhash_version(), ZSTD_versionString(),
                       lzma_version_string(), BZ2_bzlibVersion(), zlibVersion(), pcap_version(),
                       idn2_check_version(nullptr));
}

} // namespace everbloom::cli
