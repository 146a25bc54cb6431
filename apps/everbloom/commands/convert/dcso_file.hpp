// dcso_file: a `.bloom` file of the program `bloom` of DCSO, as CIRCL's hashlookup and others publish them.
//
//   | flags, n, p, k, m, N: 8 bytes each, little-endian, p a double | ceil(m / 64) words of bits | attached data, up to the end |
//
// flags: its lowest byte is the version, 1. n items at the rate p were planned for; k positions in m bits; N keys were new when they were
// inserted. There is no checksum: what can be checked is that the numbers make sense and that the file is as long as they say.
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::cli {

struct dcso_header {
    static constexpr std::size_t bytes = 48;

    std::uint64_t flags = 1;
    std::uint64_t planned_items = 0;
    double planned_fpr = 0;
    std::uint64_t hashes = 0;
    std::uint64_t bits = 0;
    std::uint64_t items = 0;

    [[nodiscard]] static dcso_header parse(const std::array<std::byte, bytes>& from) noexcept;
    [[nodiscard]] std::array<std::byte, bytes> write() const noexcept;
    /// Refuses what no `.bloom` file says, and what a filter of ours cannot be.
    [[nodiscard]] result<void> check() const;
    [[nodiscard]] std::uint64_t words() const noexcept { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }
};

struct dcso_file {
    dcso_header header;
    std::vector<std::uint64_t> words; // in whole lines of 64 bytes, zeros behind the last bit
    std::vector<std::byte> data;
};

/// Does the file begin as .bloom files do, plain or gzip?
[[nodiscard]] bool looks_like_dcso(const std::string& path, const cancellation& cancel);

/// Plain or compressed. Reads the file twice: takes memory only when it knows that the file is as long as it says.
[[nodiscard]] result<dcso_file> read_dcso(const std::string& path, const cancellation& cancel);

} // namespace everbloom::cli
