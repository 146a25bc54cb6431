// Batches over packed cells of 2 or 4 bits, for processors with AVX2 and BMI2: counting, dfp.
//
// Such a filter spends its time on k positions per key. Here the positions of a key are computed four at a time, kept as a word index and a
// shift, and compared with each other while they are still in registers; then every step is straight-line code over groups of four cells:
//
//   positions of 32 keys, prefetched   ->   for each key, the set of its cells' values   ->   one decision   ->   all cells changed
//
// The set has bit v if one of the cells holds v: a handful of instructions per cell, and whether the key is absent, removable or near
// saturation can be read off at once. Whatever is rare (two equal positions, a counter near its limit) is left to the code for one key.
// The batches of filter/batch.hpp are the portable twin of these; a differential test compares them. Queries stay there: in this form they
// had two thirds of the instructions and took a fifth more time.
#pragma once

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>
#include <everbloom/probe/positions.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_CELL_KERNEL 1
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_MODERN_LAMBDA __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"), always_inline))

namespace everbloom::kernel {

inline constexpr unsigned most_fours = 3;
inline constexpr std::size_t cell_window = 32;

/// Whether a batch may come here: this processor, the usual scheme, up to twelve positions below 2^32.
[[nodiscard]] inline bool takes_cells(const probing& how) noexcept {
    return how.scheme == probe_scheme::double_hashing && how.hashes <= 4 * most_fours && how.range <= UINT32_MAX &&
           is_modern();
}

using four_longs = std::uint64_t __attribute__((vector_size(32), may_alias));
using eight_ints = std::uint32_t __attribute__((vector_size(32), may_alias));
using eight_signed_ints = int __attribute__((vector_size(32), may_alias));

/// The cells of one key: cell i is `words[i] >> shifts[i]`. Places beyond the last cell are those of the first.
template <unsigned Fours>
struct cell_places {
    alignas(32) std::array<std::uint64_t, 4 * Fours> words;
    alignas(32) std::array<std::uint64_t, 4 * Fours> shifts; // their low six bits count
    bool may_repeat;
};

/// What double hashing adds to the start and i steps: i + 1 over 3, times the growth of the step.
inline constexpr std::array<std::uint64_t, 4 * most_fours> growth_so_far = [] {
    std::array<std::uint64_t, 4 * most_fours> made{};
    for (std::uint64_t i = 0; i < made.size(); ++i) {
        made[i] = i == 0 ? 0 : (i + 1) * i * (i - 1) / 6 * golden_ratio_bits;
    }
    return made;
}();

/// 32 x 32 -> 64 bits in each lane.
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline four_longs multiply_low_halves(four_longs a,
                                                                                         four_longs b) noexcept {
    return reinterpret_cast<four_longs>(
        __builtin_ia32_pmuludq256(reinterpret_cast<eight_signed_ints>(a), reinterpret_cast<eight_signed_ints>(b)));
}

EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline bool any_bit(eight_signed_ints value) noexcept {
    using quads = long long __attribute__((vector_size(32)));
    return __builtin_ia32_ptestz256(reinterpret_cast<quads>(value), reinterpret_cast<quads>(value)) == 0;
}

template <unsigned CellBits, unsigned Fours>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void find_places(cell_places<Fours>& made, digest item,
                                                                const probing& how) noexcept {
    constexpr unsigned word_shift = CellBits == 2 ? 5 : 4; // cells in a word, as a power of two
    constexpr unsigned cell_shift = CellBits == 2 ? 1 : 2;
    const std::uint64_t step = item.high | 1;
    const four_longs steps{step, step, step, step};
    const four_longs range{how.range, how.range, how.range, how.range};
    four_longs hash = four_longs{item.low, item.low, item.low, item.low} +
                      (steps & four_longs{0, ~std::uint64_t{0}, 0, ~std::uint64_t{0}}) +
                      ((steps << 1) & four_longs{0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}});
    four_longs first{};
    four_longs at[Fours]; // NOLINT(*-avoid-c-arrays): std::array drops the attributes of the vector
    for (unsigned f = 0; f < Fours; ++f, hash += steps << 2) {
        const four_longs full = hash + four_longs{growth_so_far[4 * f], growth_so_far[4 * f + 1],
                                                  growth_so_far[4 * f + 2], growth_so_far[4 * f + 3]};
        // reduce(): the upper 64 bits of the product with a number below 2^32
        four_longs place = (multiply_low_halves(full >> 32, range) + (multiply_low_halves(full, range) >> 32)) >> 32;
        at[f] = place;
        if (f == 0) first = __builtin_shufflevector(place, place, 0, 0, 0, 0);
        if (f == Fours - 1) {
            const std::uint64_t left = how.hashes - 4 * f; // 1 to 4
            const auto used = reinterpret_cast<four_longs>(four_longs{left, left, left, left} > four_longs{0, 1, 2, 3});
            place = (place & used) | (first & ~used);
        }
        *reinterpret_cast<four_longs*>(made.words.data() + 4 * f) = place >> word_shift;
        *reinterpret_cast<four_longs*>(made.shifts.data() + 4 * f) = place << cell_shift;
    }
    // Equal positions: the places behind the last hash take part, which makes a "maybe" a little more frequent.
    eight_signed_ints equal{};
    const auto compare = [&equal](eight_ints a, eight_ints b)
                             EVERBLOOM_MODERN_LAMBDA { equal |= reinterpret_cast<eight_signed_ints>(a == b); };
    // Two groups of four in one vector, whose rotations by one to four meet every pair; with itself, a group is in it twice.
    const auto packed = [&at](unsigned a, unsigned b)
                            EVERBLOOM_MODERN_LAMBDA { return reinterpret_cast<eight_ints>(at[a] | at[b] << 32); };
    if constexpr (Fours == 1) {
        const auto own = reinterpret_cast<eight_ints>(at[0] | at[0] << 32);
        compare(own, __builtin_shufflevector(own, own, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(own, __builtin_shufflevector(own, own, 4, 5, 6, 7, 0, 1, 2, 3));
    }
    if constexpr (Fours >= 2) {
        const eight_ints own = packed(0, 1);
        compare(own, __builtin_shufflevector(own, own, 1, 2, 3, 4, 5, 6, 7, 0));
        compare(own, __builtin_shufflevector(own, own, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(own, __builtin_shufflevector(own, own, 3, 4, 5, 6, 7, 0, 1, 2));
        compare(own, __builtin_shufflevector(own, own, 4, 5, 6, 7, 0, 1, 2, 3));
    }
    if constexpr (Fours == 3) {
        const eight_ints own = packed(0, 1);
        const auto last = reinterpret_cast<eight_ints>(at[2] | at[2] << 32);
        compare(last, __builtin_shufflevector(last, last, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(last, __builtin_shufflevector(last, last, 4, 5, 6, 7, 0, 1, 2, 3));
        compare(own, last);
        compare(own, __builtin_shufflevector(last, last, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(own, __builtin_shufflevector(last, last, 4, 5, 6, 7, 0, 1, 2, 3));
        compare(own, __builtin_shufflevector(last, last, 6, 7, 0, 1, 2, 3, 4, 5));
    }
    made.may_repeat = any_bit(equal);
}

/// Bit v for every value v among the cells.
template <unsigned CellBits, unsigned Fours>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline unsigned values_at(const std::uint64_t* cells,
                                                                             const cell_places<Fours>& at) noexcept {
    constexpr std::uint64_t mask = CellBits == 2 ? 3 : 15;
    std::uint64_t seen = 0;
#pragma GCC unroll 12
    for (unsigned i = 0; i < 4 * Fours; ++i) {
        seen |= std::uint64_t{1} << (cells[at.words[i]] >> (at.shifts[i] % word_bits) & mask);
    }
    return static_cast<unsigned>(seen);
}

/// Positions of a window of keys, all of them prefetched, then `act(index, places)` for each key.
template <unsigned CellBits, unsigned Fours, class Act>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void
update_cells(const std::uint64_t* cells, std::span<const digest> items, probing how, Act act) noexcept {
    std::array<cell_places<Fours>, cell_window> places;
    for (std::size_t from = 0; from < items.size(); from += cell_window) {
        const std::size_t count = std::min(cell_window, items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            find_places<CellBits>(places[i], items[from + i], how);
#pragma GCC unroll 12
            for (unsigned c = 0; c < 4 * Fours; ++c) prefetch_line(cells + places[i].words[c]);
        }
        for (std::size_t i = 0; i < count; ++i) act(from + i, places[i]);
    }
}

} // namespace everbloom::kernel
#endif
