// Scanning a bucket: which of its cells are occupied, and which of those hold a given remainder?
//
// A cell is a remainder above a counter. A counter of zero means that the cell is empty, and then all of the cell is zero; but an
// occupied cell may well have remainder 0:
//
//      | remainder | counter |
//
// The answer is two masks, bit c for cell c. Cells of 16 bits, eight or more to a bucket, are compared eight at a time with SSE2,
// which every x86-64 processor has; all others one by one. Both give the same masks, checked by a differential test. bucket_line.hpp and
// packed_cells.hpp have faster twins for newer processors.
#pragma once

#include <everbloom/bits/cell_view.hpp>
#include <everbloom/bits/low_mask.hpp>

#include <cstdint>

#if defined(__SSE2__)
#define EVERBLOOM_SSE2_KERNEL 1
#endif

namespace everbloom::kernel {

struct bucket_marks {
    std::uint64_t occupied = 0;
    std::uint64_t equal = 0; // occupied, with the remainder asked for

    friend constexpr bool operator==(const bucket_marks&, const bucket_marks&) = default;
};

/// `first` is the bucket's first cell, `cells` at most 64; `counter_bits` lowest bits of a cell are its counter.
template <class Word, unsigned FixedBits>
[[nodiscard]] bucket_marks scan_bucket(cell_view<Word, FixedBits> view, std::uint64_t first, unsigned cells,
                                       unsigned counter_bits, std::uint64_t remainder) noexcept {
    bucket_marks marks;
    for (unsigned c = 0; c < cells; ++c) {
        const std::uint64_t value = view.get(first + c);
        const std::uint64_t occupied = value != 0 ? 1 : 0;
        const std::uint64_t equal = value >> counter_bits == remainder ? occupied : 0;
        marks.occupied |= occupied << c;
        marks.equal |= equal << c;
    }
    return marks;
}

#if defined(EVERBLOOM_SSE2_KERNEL)

// Vectors of the compiler: <emmintrin.h> has 2,700 lines, and every file that uses a filter would read them.
using eight_cells = std::uint16_t __attribute__((vector_size(16), may_alias));
using eight_verdicts = short __attribute__((vector_size(16))); // -1 or 0
using sixteen_bytes = char __attribute__((vector_size(16)));

/// One number in each of eight lanes.
[[nodiscard, gnu::always_inline]] inline eight_cells in_every_lane(std::uint64_t value) noexcept {
    const auto cell = static_cast<std::uint16_t>(value);
    return eight_cells{cell, cell, cell, cell, cell, cell, cell, cell};
}

/// Bit i is the verdict of lane i, those of `low` first.
[[nodiscard, gnu::always_inline]] inline std::uint64_t mask_of(eight_verdicts low, eight_verdicts high) noexcept {
    const sixteen_bytes signs = __builtin_ia32_packsswb128(low, high);
    return static_cast<std::uint64_t>(static_cast<unsigned>(__builtin_ia32_pmovmskb128(signs)));
}

/// The same for cells of 16 bits; `bucket` is their first word, aligned to 16 bytes; `counter_bits` is 1 to 12.
template <unsigned Cells>
[[nodiscard, gnu::always_inline]] inline bucket_marks
scan_bucket_sse2(const std::uint64_t* bucket, unsigned counter_bits, std::uint64_t remainder) noexcept {
    static_assert(Cells % 8 == 0 && Cells <= 64);
    const eight_cells remainders = ~in_every_lane(low_mask(counter_bits));
    const eight_cells wanted = in_every_lane(remainder << counter_bits);
    const auto* at = reinterpret_cast<const eight_cells*>(bucket);
    std::uint64_t empty = 0;
    std::uint64_t equal = 0;
    for (unsigned c = 0; c < Cells; c += 16, at += 2) {
        const eight_cells low = at[0];
        const eight_cells high = Cells >= 16 ? at[1] : low;
        empty |= mask_of(low == 0, high == 0) << c;
        equal |= mask_of((low & remainders) == wanted, (high & remainders) == wanted) << c;
    }
    const std::uint64_t occupied = ~empty & low_mask(Cells);
    return {occupied, equal & occupied};
}

/// Not all zero if a cell of the bucket holds this remainder, which is not 0: all that a query needs.
template <unsigned Cells>
[[nodiscard, gnu::always_inline]] inline eight_verdicts
equal_cells_sse2(const std::uint64_t* bucket, unsigned counter_bits, std::uint64_t remainder) noexcept {
    const eight_cells remainders = ~in_every_lane(low_mask(counter_bits));
    const eight_cells wanted = in_every_lane(remainder << counter_bits);
    const auto* at = reinterpret_cast<const eight_cells*>(bucket);
    eight_verdicts found{};
    for (unsigned c = 0; c < Cells; c += 8, ++at) found |= (*at & remainders) == wanted;
    return found;
}

#endif

} // namespace everbloom::kernel
