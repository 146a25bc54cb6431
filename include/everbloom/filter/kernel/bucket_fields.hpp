// Scanning a bucket whose cells are not 16 bits wide, for processors with AVX2 and BMI2: the twin of scan_bucket for any width up to 57. Used
// where packed_cells.hpp, which is faster, cannot be.
//
// As many cells as fit into 57 bits (a power of two) are one lane of a vector, read from the byte that their first bit lies in and shifted
// to the low end, so that a vector of four lanes holds 4, 8, 16 or 32 cells:
//
//      lane   | ..... | cell 3 | cell 2 | cell 1 | cell 0 |
//
// Fields are compared within the lanes: (x & low) + low carries into the top bit of a field unless its low bits are zero. Lanes are read
// whole, beyond the end of the bucket too; the buckets at the end of the table, where that would be beyond its words, are left to
// scan_bucket.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <array>
#include <cstdint>
#include <cstring>

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_FIELD_KERNEL 1

namespace everbloom::kernel {

/// The fields of a lane, worked out once for a table.
struct cell_fields {
    /// `all_cells` in the table, `bucket_cells` (at most 64) in each bucket.
    cell_fields(std::uint64_t all_cells, unsigned bucket_cells, unsigned cell_bits, unsigned counter_bits) noexcept
        : bits(cell_bits), counter(counter_bits), cells(bucket_cells) {
        constexpr unsigned most_bits = 57; // and up to 7 before them
        if (cell_bits > most_bits || !is_modern()) return;
        lane_cells = cell_bits <= 7 ? 8 : cell_bits <= 14 ? 4 : cell_bits <= 28 ? 2 : 1;
        for (unsigned i = 0; i < lane_cells; ++i) ones |= std::uint64_t{1} << (i * cell_bits);
        top = ones << (cell_bits - 1);
        low = ones * low_mask(cell_bits) & ~top;
        remainder = ones * (low_mask(cell_bits) & ~low_mask(counter_bits));
        vectors = (cells + 4 * lane_cells - 1) / (4 * lane_cells);
        for (unsigned i = 0; i < 4; ++i) {
            lane_at[i] = std::uint64_t{i} * lane_cells * cell_bits;
            for (unsigned j = 0; j < lane_cells; ++j) {
                const unsigned cell = ((vectors - 1) * 4 + i) * lane_cells + j;
                if (cell < cells) last_top[i] |= std::uint64_t{1} << (j * cell_bits + cell_bits - 1);
            }
        }
        const std::uint64_t read_cells = std::uint64_t{vectors} * 4 * lane_cells + (word_bits - 1) / cell_bits + 1;
        if (all_cells > read_cells) readable = all_cells - read_cells;
    }

    /// Whether the bucket that begins with this cell can be scanned here.
    [[nodiscard]] bool can_read(std::uint64_t first) const noexcept { return first < readable; }

    unsigned bits;
    unsigned counter;
    unsigned cells;
    unsigned lane_cells = 1;
    unsigned vectors = 0;
    std::uint64_t readable = 0;              // buckets that begin below this cell
    std::uint64_t ones = 0;                  // bit 0 of every field
    std::uint64_t top = 0;                   // the highest bit of every field
    std::uint64_t low = 0;                   // all others
    std::uint64_t remainder = 0;             // the bits above the counter
    std::array<std::uint64_t, 4> last_top{}; // `top` of the last vector: cells of the next bucket have none
    std::array<std::uint64_t, 4> lane_at{};  // where the lanes of a vector begin
};

using four_lanes = std::uint64_t __attribute__((vector_size(32)));

/// Four lanes that begin at this bit of the table.
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline four_lanes
load_fields(const std::uint64_t* words, std::uint64_t bit, const cell_fields& of) noexcept {
    const auto lane = [&](unsigned i) __attribute__((always_inline)) {
        std::uint64_t read;
        std::memcpy(&read, reinterpret_cast<const char*>(words) + (bit + of.lane_at[i]) / 8, sizeof read);
        return read;
    };
    const four_lanes from =
        four_lanes{bit, bit, bit, bit} + four_lanes{of.lane_at[0], of.lane_at[1], of.lane_at[2], of.lane_at[3]};
    return four_lanes{lane(0), lane(1), lane(2), lane(3)} >> (from & 7);
}

/// The top bits of the fields that are not zero; other bits are set as well.
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline four_lanes nonzero_fields(four_lanes fields,
                                                                                    std::uint64_t low) noexcept {
    return ((fields & low) + low) | fields;
}

EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline four_lanes tops_of(const cell_fields& of,
                                                                             unsigned vector) noexcept {
    if (vector + 1 < of.vectors) return four_lanes{of.top, of.top, of.top, of.top};
    return four_lanes{of.last_top[0], of.last_top[1], of.last_top[2], of.last_top[3]};
}

EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline bool any_field(four_lanes marks) noexcept {
    using quads = long long __attribute__((vector_size(32)));
    return __builtin_ia32_ptestz256(reinterpret_cast<quads>(marks), reinterpret_cast<quads>(marks)) == 0;
}

/// Does a cell of the bucket hold this remainder, which is not 0: no empty cell does? Only where can_read.
EVERBLOOM_MODERN [[gnu::noinline]] inline bool bucket_holds(const std::uint64_t* words, std::uint64_t first,
                                                            const cell_fields& of, std::uint64_t remainder) noexcept {
    const std::uint64_t wanted = (remainder << of.counter) * of.ones;
    const std::uint64_t vector_bits = 4 * of.lane_at[1];
    std::uint64_t bit = first * of.bits;
    four_lanes found{};
    for (unsigned v = of.vectors - 1; v > 0; --v, bit += vector_bits) {
        found |= ~nonzero_fields((load_fields(words, bit, of) ^ wanted) & of.remainder, of.low);
    }
    found &= of.top;
    const four_lanes last = ~nonzero_fields((load_fields(words, bit, of) ^ wanted) & of.remainder, of.low);
    const four_lanes last_top{of.last_top[0], of.last_top[1], of.last_top[2], of.last_top[3]};
    return any_field(found | (last & last_top));
}

/// The same marks as scan_bucket. Only where can_read.
EVERBLOOM_MODERN [[gnu::noinline]] inline bucket_marks
scan_fields(const std::uint64_t* words, std::uint64_t first, const cell_fields& of, std::uint64_t remainder) noexcept {
    const std::uint64_t wanted = (remainder << of.counter) * of.ones;
    bucket_marks marks;
    for (unsigned v = 0; v < of.vectors; ++v) {
        const four_lanes fields = load_fields(words, first * of.bits + v * 4 * of.lane_at[1], of);
        const four_lanes occupied = nonzero_fields(fields, of.low) & tops_of(of, v);
        const four_lanes equal = occupied & ~nonzero_fields((fields ^ wanted) & of.remainder, of.low);
        const bool has_equal = any_field(equal);
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned cell = (4 * v + i) * of.lane_cells;
            if (cell >= of.cells) break;
            marks.occupied |= __builtin_ia32_pext_di(occupied[i], of.top) << cell;
            if (has_equal) marks.equal |= __builtin_ia32_pext_di(equal[i], of.top) << cell;
        }
    }
    return marks;
}

} // namespace everbloom::kernel
#endif
