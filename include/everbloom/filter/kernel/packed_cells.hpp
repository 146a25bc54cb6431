// Packed cells that are scanned eight or sixteen at a time, for processors with AVX2: widths of up to 25 bits, in buckets of 8, 16, 24 ...
// cells. Where they are in vectors; the scans are in packed_scan.hpp.
//
// Eight cells of w bits are w bytes, so that every eight of them begin with a byte. One shuffle brings the bytes in which each cell begins into
// a unit of its own:
//
//      bytes    | cell 0 .. cell 7, w bytes ........................ |
//      units    | cell 0, and what follows | cell 1 | ... | cell 7 |           each cell up to 7 bits above the low end of its unit
//
// Shuffle, shifts and masks are the same for all eights of a table. Cells stay where they are in their units; the remainder that is looked
// for is shifted to where they are, once for a bucket. Two forms:
//
//      two_bytes    widths of which no cell lies in three bytes (up to 10, and 12): units of 16 bits, sixteen cells in a vector
//      four_bytes   all others: units of 32 bits, eight cells in a vector; where these are more than 16 bytes, the second four cells are read
//                   from the byte in which they begin
//
// Whole vectors are read: the buckets at the end of a table, where that would be beyond its words, are left to scan_bucket.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_PACKED_KERNEL 1

namespace everbloom::kernel {

enum class packed_form : std::uint8_t { two_bytes, four_bytes };

/// Where the cells of a table are in vectors, worked out once.
struct packed_cells {
    /// `all_cells` in the table, `bucket_cells` (at most 64) in each bucket.
    packed_cells(std::uint64_t all_cells, unsigned bucket_cells, unsigned cell_bits, unsigned counter_bits) noexcept
        : bits(cell_bits), counter(counter_bits), eights(bucket_cells / 8), bucket_bytes(eights * cell_bits) {
        constexpr unsigned most_bits = 25; // and up to 7 before them
        if (cell_bits > most_bits || bucket_cells % 8 != 0 || !is_modern()) return;
        const bool fits_pairs = (cell_bits <= 10 || cell_bits == 12) && bucket_cells % 16 == 0;
        form = fits_pairs ? packed_form::two_bytes : packed_form::four_bytes;
        second_half = fits_pairs ? cell_bits : cell_bits > 16 ? cell_bits / 2 : 0;
        const unsigned unit_bytes = fits_pairs ? 2 : 4;
        for (unsigned i = 0; i < 32 / unit_bytes; ++i) {
            const bool in_second_half = !fits_pairs && i >= 4;
            const unsigned from = i % 8 * cell_bits - (in_second_half ? second_half * 8 : 0); // bits
            const std::uint64_t cell = low_mask(cell_bits) << (from % 8);
            const std::uint64_t remainder = (low_mask(cell_bits) & ~low_mask(counter_bits)) << (from % 8);
            const std::uint64_t factor = std::uint64_t{1} << (from % 8);
            for (unsigned byte = 0; byte < unit_bytes; ++byte) {
                const unsigned at = unit_bytes * i + byte;
                shuffle[at] = static_cast<std::uint8_t>(from / 8 + byte);
                factors[at] = static_cast<std::uint8_t>(factor >> (8 * byte));
                remainders[at] = static_cast<std::uint8_t>(remainder >> (8 * byte));
                cells[at] = static_cast<std::uint8_t>(cell >> (8 * byte));
            }
        }
        // The last bucket of which neither a vector nor the four bytes of a cell reach beyond the words of the table.
        const std::uint64_t table_bytes = all_cells * cell_bits / 8;
        const unsigned last_eight = eights - (fits_pairs ? 2 : 1);
        const unsigned of_last_vector =
            std::max(second_half + 16, (fits_pairs ? 2 : 1) * cell_bits - cell_bits / 8 + 3);
        const std::uint64_t read_bytes = std::uint64_t{last_eight} * cell_bits + of_last_vector;
        if (table_bytes >= read_bytes) readable = (table_bytes - read_bytes) / bucket_bytes + 1;
        readable_cells = readable * bucket_cells;
    }

    /// Whether this bucket, counted over all subtables, can be scanned here.
    [[nodiscard]] bool can_read(std::uint64_t bucket) const noexcept { return bucket < readable; }
    [[nodiscard]] const char* first_byte(const std::uint64_t* words, std::uint64_t bucket) const noexcept {
        return reinterpret_cast<const char*>(words) + bucket * bucket_bytes;
    }

    using vector_bytes = std::array<std::uint8_t, 32>;
    alignas(32) vector_bytes shuffle{};
    alignas(32) vector_bytes factors{};    // of each unit: 1, shifted as its cell is
    alignas(32) vector_bytes remainders{}; // their bits
    alignas(32) vector_bytes cells{};      // the bits of remainder and counter
    unsigned bits;
    unsigned counter;
    unsigned eights;
    unsigned bucket_bytes;
    unsigned second_half = 0; // its first byte
    packed_form form = packed_form::four_bytes;
    std::uint64_t readable = 0; // buckets below this one
    std::uint64_t readable_cells = 0;
};

/// The same marks as scan_bucket. Only where can_read (src/dleft_packed.cpp).
EVERBLOOM_MODERN bucket_marks scan_packed(const char* first_byte, const packed_cells& of,
                                          std::uint64_t remainder) noexcept;

} // namespace everbloom::kernel
#endif
