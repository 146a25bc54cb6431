// Batches over packed cells of 2 or 4 bits, for processors with AVX2 and BMI2: counting, dfp.
//
// Such a filter spends its time on k positions per key. Here the positions of a key are computed four at a time, kept as the index of a
// 32-bit unit and a shift, and compared with each other while they are still in registers. Then the units are loaded into one vector, all
// cells are judged and changed at once, and the units are stored:
//
//   positions of 32 keys, prefetched   ->   for each key, its units in a vector   ->   one decision   ->   all units stored
//
// Lanes beyond the last cell repeat the first one: they read and write what it does. Whatever is rare (two positions in one unit, a counter
// near its limit) is left to the code for one key. The batches of filter/batch.hpp are the portable twin of these; a differential test
// compares them.
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

/// Bits of a unit.
inline constexpr std::uint32_t unit_bits_of_cells = 32;

using four_longs = std::uint64_t __attribute__((vector_size(32), may_alias));
using eight_ints = std::uint32_t __attribute__((vector_size(32), may_alias));
using eight_signed_ints = int __attribute__((vector_size(32), may_alias));

inline constexpr eight_ints each_one{1, 1, 1, 1, 1, 1, 1, 1};

/// The cells of one key, eight to a vector: cell i is `unit[index[i]] >> shift[i]`. Hash function 4 a + i of a pair of groups is in lane
/// 2 i + a; an odd last group has its lanes twice.
template <unsigned Fours>
struct cell_places {
    static constexpr unsigned eights = (Fours + 1) / 2;

    eight_ints index[eights]; // NOLINT(*-avoid-c-arrays): std::array drops the attributes of the vector
    eight_ints shift[eights]; // NOLINT(*-avoid-c-arrays)
    bool may_repeat;

    /// Whether lane `lane` of vector `e` is loaded and stored: not the second ones of an odd group.
    [[nodiscard]] static constexpr bool is_used(unsigned e, unsigned lane) noexcept {
        return 2 * e + 1 < Fours || lane % 2 == 0;
    }
};

/// The lanes of k cells: all ones.
template <unsigned Fours>
struct used_lanes {
    eight_ints of[cell_places<Fours>::eights]; // NOLINT(*-avoid-c-arrays)
};
template <unsigned Fours>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline used_lanes<Fours> lanes_of(unsigned hashes) noexcept {
    used_lanes<Fours> made;
    for (unsigned e = 0; e < cell_places<Fours>::eights; ++e) {
        for (unsigned lane = 0; lane < 8; ++lane) {
            const unsigned hash = 8 * e + lane / 2 + (2 * e + 1 < Fours ? 4 * (lane % 2) : 0);
            made.of[e][lane] = hash < hashes ? ~0u : 0u;
        }
    }
    return made;
}

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

/// `Compared`: whether may_repeat is worked out.
template <unsigned CellBits, bool Compared = true, unsigned Fours>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void
find_places(cell_places<Fours>& made, digest item, std::uint64_t cells, const used_lanes<Fours>& used) noexcept {
    constexpr unsigned unit_shift = CellBits == 2 ? 4 : 3; // cells in a unit, as a power of two
    constexpr unsigned cell_shift = CellBits == 2 ? 1 : 2;
    constexpr unsigned eights = cell_places<Fours>::eights;
    const std::uint64_t step = item.high | 1;
    const four_longs steps{step, step, step, step};
    const four_longs range{cells, cells, cells, cells};
    four_longs hash = four_longs{item.low, item.low, item.low, item.low} +
                      (steps & four_longs{0, ~std::uint64_t{0}, 0, ~std::uint64_t{0}}) +
                      ((steps << 1) & four_longs{0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}});
    eight_ints at[eights]; // NOLINT(*-avoid-c-arrays)
    for (unsigned f = 0; f < Fours; ++f, hash += steps << 2) {
        const four_longs full = hash + four_longs{growth_so_far[4 * f], growth_so_far[4 * f + 1],
                                                  growth_so_far[4 * f + 2], growth_so_far[4 * f + 3]};
        // reduce(): the upper 64 bits of the product with a number below 2^32, here in the upper halves
        const auto sum = reinterpret_cast<eight_ints>(multiply_low_halves(full >> 32, range) +
                                                      (multiply_low_halves(full, range) >> 32));
        if (f % 2 == 0) {
            at[f / 2] = __builtin_shufflevector(sum, sum, 1, 1, 3, 3, 5, 5, 7, 7);
        } else {
            at[f / 2] = __builtin_shufflevector(at[f / 2], sum, 0, 9, 2, 11, 4, 13, 6, 15);
        }
    }
    const eight_ints first = __builtin_shufflevector(at[0], at[0], 0, 0, 0, 0, 0, 0, 0, 0);
    eight_ints unit[eights]; // NOLINT(*-avoid-c-arrays)
    for (unsigned e = 0; e < eights; ++e) {
        unit[e] = at[e] >> unit_shift;
        const eight_ints place = (at[e] & used.of[e]) | (first & ~used.of[e]);
        made.index[e] = place >> unit_shift;
        made.shift[e] = (place << cell_shift) & (unit_bits_of_cells - 1);
    }
    if constexpr (!Compared) return;
    // Positions in one unit: the lanes behind the last hash function take part, which makes a "maybe" a little more frequent.
    eight_signed_ints equal{};
    const auto compare = [&equal](eight_ints a, eight_ints b)
                             EVERBLOOM_MODERN_LAMBDA { equal |= reinterpret_cast<eight_signed_ints>(a == b); };
    const eight_ints own = unit[0];
    if constexpr (
        Fours >=
        2) { // rotations by one to four meet every pair; of an odd group, which is there twice, by two and four
        compare(own, __builtin_shufflevector(own, own, 1, 2, 3, 4, 5, 6, 7, 0));
        compare(own, __builtin_shufflevector(own, own, 3, 4, 5, 6, 7, 0, 1, 2));
    }
    compare(own, __builtin_shufflevector(own, own, 2, 3, 4, 5, 6, 7, 0, 1));
    compare(own, __builtin_shufflevector(own, own, 4, 5, 6, 7, 0, 1, 2, 3));
    if constexpr (Fours == 3) {
        const eight_ints last = unit[1];
        compare(last, __builtin_shufflevector(last, last, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(last, __builtin_shufflevector(last, last, 4, 5, 6, 7, 0, 1, 2, 3));
        compare(own, last);
        compare(own, __builtin_shufflevector(last, last, 2, 3, 4, 5, 6, 7, 0, 1));
        compare(own, __builtin_shufflevector(last, last, 4, 5, 6, 7, 0, 1, 2, 3));
        compare(own, __builtin_shufflevector(last, last, 6, 7, 0, 1, 2, 3, 4, 5));
    }
    made.may_repeat = any_bit(equal);
}

/// A unit of the words, whatever type they are written as.
using cell_unit = std::uint32_t __attribute__((may_alias));

/// The units of vector `e` of a key.
template <unsigned Fours>
EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] inline eight_ints
load_units(const cell_unit* units, const cell_places<Fours>& at, unsigned e) noexcept {
    const auto unit = [&](unsigned lane) EVERBLOOM_MODERN_LAMBDA { return units[at.index[e][lane]]; };
    if (!cell_places<Fours>::is_used(e, 1)) {
        const std::uint32_t a = unit(0);
        const std::uint32_t b = unit(2);
        const std::uint32_t c = unit(4);
        const std::uint32_t d = unit(6);
        return eight_ints{a, a, b, b, c, c, d, d};
    }
    return eight_ints{unit(0), unit(1), unit(2), unit(3), unit(4), unit(5), unit(6), unit(7)};
}
template <unsigned Fours>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void store_units(cell_unit* units, const cell_places<Fours>& at,
                                                                unsigned e, eight_ints values) noexcept {
#pragma GCC unroll 8
    for (unsigned lane = 0; lane < 8; ++lane) {
        if (cell_places<Fours>::is_used(e, lane)) units[at.index[e][lane]] = values[lane];
    }
}

/// Calls `act(index, places)` for every key, its units prefetched.
template <unsigned CellBits, unsigned Fours, class Act>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void update_cells(const cell_unit* units, std::span<const digest> items,
                                                                 probing how, Act act) noexcept {
    const used_lanes<Fours> used = lanes_of<Fours>(how.hashes);
    cell_places<Fours> places[cell_window]; // NOLINT(*-avoid-c-arrays)
    for (std::size_t from = 0; from < items.size(); from += cell_window) {
        const std::size_t count = std::min(cell_window, items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            find_places<CellBits>(places[i], items[from + i], how.range, used);
#pragma GCC unroll 16
            for (unsigned c = 0; c < 8 * cell_places<Fours>::eights; ++c) {
                if (cell_places<Fours>::is_used(c / 8, c % 8)) prefetch_line(units + places[i].index[c / 8][c % 8]);
            }
        }
        for (std::size_t i = 0; i < count; ++i) act(from + i, places[i]);
    }
}

/// Queries: an item is held if each of its cells has one of the bits `mask(item)`. Most absent keys fail within two cells, so only two are
/// prefetched at first; for the survivors all of the rest are prefetched at once.
template <unsigned CellBits, unsigned Fours, class Mask>
EVERBLOOM_MODERN [[gnu::always_inline]] inline void query_cells(const cell_unit* units, std::span<const digest> items,
                                                                std::span<std::uint8_t> answers, probing how,
                                                                Mask mask) noexcept {
    constexpr unsigned eights = cell_places<Fours>::eights;
    constexpr unsigned second = 2; // the lane of the second hash function
    const used_lanes<Fours> used = lanes_of<Fours>(how.hashes);
    cell_places<Fours> places[cell_window]; // NOLINT(*-avoid-c-arrays)
    std::array<std::uint32_t, cell_window> survivors;
    for (std::size_t from = 0; from < items.size(); from += cell_window) {
        const std::size_t count = std::min(cell_window, items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            find_places<CellBits, false>(places[i], items[from + i], how.range, used);
            prefetch_line(units + places[i].index[0][0]);
            prefetch_line(units + places[i].index[0][second]);
        }
        std::size_t alive = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const cell_places<Fours>& at = places[i];
            const std::uint32_t wanted = mask(items[from + i]);
            const std::uint32_t in_first = units[at.index[0][0]] >> at.shift[0][0] & wanted;
            const std::uint32_t in_second = units[at.index[0][second]] >> at.shift[0][second] & wanted;
            const bool both = (in_first != 0) & (in_second != 0); // no branch: it could not be predicted
            answers[from + i] = static_cast<std::uint8_t>(both);
            survivors[alive] = static_cast<std::uint32_t>(i);
            alive += both ? 1 : 0;
        }
        for (std::size_t s = 0; s < alive; ++s) {
#pragma GCC unroll 16
            for (unsigned c = 0; c < 8 * eights; ++c) {
                const bool is_fetched = c == 0 || c == second;
                if (is_fetched || !cell_places<Fours>::is_used(c / 8, c % 8)) continue;
                prefetch_line(units + places[survivors[s]].index[c / 8][c % 8]);
            }
        }
        for (std::size_t s = 0; s < alive; ++s) {
            const cell_places<Fours>& at = places[survivors[s]];
            const std::size_t index = from + survivors[s];
            const std::uint32_t wanted = mask(items[index]);
            eight_signed_ints missing{};
#pragma GCC unroll 2
            for (unsigned e = 0; e < eights; ++e) {
                missing |=
                    reinterpret_cast<eight_signed_ints>((load_units(units, at, e) >> at.shift[e] & wanted) == 0u);
            }
            answers[index] = static_cast<std::uint8_t>(!any_bit(missing));
        }
    }
}

/// Calls `act` with the number of groups of four as a constant, if such batches can be done here.
template <class Act>
[[nodiscard]] bool with_fours(const probing& how, Act act) noexcept {
    if (!takes_cells(how)) return false;
    switch ((how.hashes + 3) / 4) {
    case 1: act.template operator()<1>(); break;
    case 2: act.template operator()<2>(); break;
    default: act.template operator()<3>(); break;
    }
    return true;
}

} // namespace everbloom::kernel
#endif
