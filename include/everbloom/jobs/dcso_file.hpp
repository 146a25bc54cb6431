// dcso_file: a `.bloom` file of the program `bloom` of DCSO, as CIRCL's hashlookup and others publish them.
//
//   | flags, n, p, k, m, N: 8 bytes each, little-endian, p a double | ceil(m / 64) words of bits | attached data, up to the end |
//
// flags: its lowest byte is the version, 1. Capacity n at FPR p; k hash functions over m bits; N keys were new when they were inserted.
// There is no checksum: the checks are that the numbers make sense and that the file has the length that follows from them.
#pragma once

#include <everbloom/core/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace everbloom {

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
    /// Refuses values that are invalid in a `.bloom` file, or not supported by a filter.
    [[nodiscard]] result<void> check() const;
    [[nodiscard]] std::uint64_t words() const noexcept { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }
    /// The length of the attached data, if the header is followed by this many bytes. Refuses too few.
    [[nodiscard]] result<std::uint64_t> data_bytes(std::uint64_t bytes_after_header) const;
};

struct dcso_file {
    dcso_header header;
    std::vector<std::uint64_t> words; // in whole cache lines of 64 bytes, zeros after the last bit
    std::vector<std::byte> data;

    /// A file of this shape, without bits.
    [[nodiscard]] static dcso_file empty(const dcso_header& header, std::uint64_t data_bytes);
    /// Where the words of the file go.
    [[nodiscard]] std::span<std::byte> word_bytes() noexcept;
    /// Refuses bits after the last one.
    [[nodiscard]] result<void> check_bits() const;
};

/// From plain bytes; a compressed file is decompressed first. Allocates only after the length is checked.
[[nodiscard]] result<dcso_file> read_dcso(std::span<const std::byte> bytes);

/// "is not an intact .bloom file: ..."
[[nodiscard]] failure not_dcso(const std::string& why);

} // namespace everbloom
