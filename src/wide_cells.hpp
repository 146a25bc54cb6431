// Places of many keys at once, on processors with AVX-512: what the batches in src/wide_cells_*.cpp have in common.
//
// A filter with k cells per key spends its time on k positions per key. One vector holds the same position of eight keys: eight steps of
// double hashing and eight reductions take a dozen instructions. What is stored of a position is ready for use, the word of its cell and how
// far the cell is from the word's lowest bit:
//
//   32 digests   ->   place[i][key]: | word : 32 | shift : 32 |   ->   prefetched, if the cells are far away   ->   key by key
//
// The cells are then read and changed one by one, by scalar code: on the processors measured, an instruction that gathers eight words takes
// longer than eight loads. Whether two of a key's positions are equal is found out here, too, for kinds that count them once.
#pragma once

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/kernel/cell_batches.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

namespace everbloom::kernel {

/// The batches of cell_batches for processors with AVX-512; false where that is not possible.
struct wide_cells : cell_batches {
    static bool ask_bits(words, keys, answer_list, const probing&) noexcept;
    static bool ask_pairs(words, keys, answer_list, const probing&) noexcept;
    static bool ask_fingerprints(words, keys, answer_list, const probing&) noexcept;
    static bool ask_counters(words, keys, answer_list, const probing&) noexcept;
    static bool set_bits(changed_words, keys, const probing&) noexcept;
    static bool insert_fingerprints(changed_words, keys, insertions, const probing&, one_insertion) noexcept;
    static bool insert_counters(changed_words, keys, insertions, const probing&, one_insertion) noexcept;
    static bool erase_fingerprints(changed_words, keys, removals, const probing&, one_removal) noexcept;
    static bool erase_counters(changed_words, keys, removals, const probing&, one_removal) noexcept;
    static bool insert_pairs(changed_words, unsigned, keys, insertions, const probing&, one_insertion) noexcept;
    static bool erase_pairs(changed_words, unsigned, keys, removals, const probing&, one_removal) noexcept;
    static bool insert_flagged(changed_words, changed_words, keys, insertions, const probing&, one_insertion) noexcept;
    static bool erase_flagged(changed_words, changed_words, keys, removals, const probing&, one_removal) noexcept;
};

} // namespace everbloom::kernel

#if defined(EVERBLOOM_MODERN_X86) && !defined(EVERBLOOM_SMALL)
#define EVERBLOOM_WIDE_CELLS 1

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#define EVERBLOOM_WIDE [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")]]
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_WIDE_LAMBDA                                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt"), always_inline))

namespace everbloom::kernel {

/// Cells below this many bytes stay in the second-level cache: prefetching them only costs instructions.
inline constexpr std::uint64_t wide_near_bytes = 1024 * 1024;

inline constexpr unsigned most_wide_hashes = 16;

// Vectors of the compiler: g++ 12 warns of what is in most functions for AVX-512.
using eight_words = std::uint64_t __attribute__((vector_size(64), may_alias));
using sixteen_units = std::uint32_t __attribute__((vector_size(64), may_alias));

/// The product of the lower halves of each lane.
EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline eight_words product(eight_words a, eight_words b) noexcept {
    constexpr __mmask8 all = 0xff;
    return reinterpret_cast<eight_words>(
        _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}

/// Cells are read and changed in units of 32 bits, whatever type their words are written as.
using wide_unit = std::uint32_t __attribute__((may_alias));
inline constexpr unsigned wide_unit_shift = 5; // bits of a unit, as a power of two

/// The upper bit of each counter of four bits in a unit.
inline constexpr std::uint32_t half_full_counters = 0x88888888;

/// One number for each of up to 32 keys, sixteen to a vector.
template <std::size_t Keys>
using number_rows = std::array<std::array<std::uint32_t, Keys>, most_wide_hashes>;

/// Where the cells of some keys are: cell i of a key is `units[unit[i][key]]`, and of that the bits `bits[i][key]`.
template <std::size_t Keys>
struct place_window {
    static constexpr std::size_t keys = Keys;

    alignas(64) number_rows<Keys> unit;
    alignas(64) number_rows<Keys> bits;
};

/// Calls `act` with the numbers of the hash functions from `from` on. `Hashes`: 0 where it is known at run time only; loops that are not
/// unrolled then keep the code small.
template <unsigned Hashes, class Act>
EVERBLOOM_WIDE [[gnu::always_inline]] inline void for_each_hash(unsigned from, unsigned hashes, Act act) noexcept {
    if constexpr (Hashes != 0) {
#pragma GCC unroll 16
        for (unsigned i = from; i < Hashes; ++i) act(i);
    } else {
        for (unsigned i = from; i < hashes; ++i) act(i);
    }
}

/// Finds the places of up to sixteen keys, one hash function after the other, so that other work can be done in between: what is waited for
/// there, memory, is not what is waited for here.
template <unsigned BitsShift, bool Repeats, class Bits>
class place_finder {
public:
    static constexpr std::size_t keys = 16;

    /// `BitsShift`: bits of a cell, as a power of two. `Repeats`: whether equal positions are looked for. `bits(high words of the digests)`:
    /// which bits of a cell are meant.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline place_finder(std::uint64_t cells, Bits bits) noexcept
        : range_(eight_words{} + cells), bits_(bits) {}

    EVERBLOOM_WIDE [[gnu::always_inline]] inline void begin(const digest* items, std::size_t count) noexcept {
        // Behind the last key there are zeros, which have places, too.
        const std::uint64_t halves = (std::uint64_t{1} << (2 * count)) - 1; // two words of a digest each
        const eight_words a = load(halves & 0xff, items);
        const eight_words b = load(halves >> 8 & 0xff, items + 4);
        const eight_words c = load(halves >> 16 & 0xff, items + 8);
        const eight_words d = load(halves >> 24, items + 12);
        front_at_ = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
        back_at_ = __builtin_shufflevector(c, d, 0, 2, 4, 6, 8, 10, 12, 14);
        front_step_ = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
        back_step_ = __builtin_shufflevector(c, d, 1, 3, 5, 7, 9, 11, 13, 15);
        wanted_ = bits_(front_step_, back_step_);
        front_step_ |= 1;
        back_step_ |= 1;
        growth_ = 0;
        different_ = {0xffff, 0xffff, 0xffff, 0xffff};
    }

    /// The places for hash function `i`, in order; written from key `first` on.
    template <std::size_t Keys>
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void step(unsigned i, place_window<Keys>& made,
                                                           std::size_t first = 0) noexcept {
        // reduce(): the upper half of a product with a number below 2^32; here it is in the upper half of the lane.
        const eight_words front = product(front_at_ >> 32, range_) + (product(front_at_, range_) >> 32);
        const eight_words back = product(back_at_ >> 32, range_) + (product(back_at_, range_) >> 32);
        const sixteen_units cells =
            __builtin_shufflevector(reinterpret_cast<sixteen_units>(front), reinterpret_cast<sixteen_units>(back), 1, 3,
                                    5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        growth_ += golden_ratio_bits;
        front_at_ += front_step_;
        back_at_ += back_step_;
        front_step_ += growth_;
        back_step_ += growth_;
        *reinterpret_cast<sixteen_units*>(made.unit[i].data() + first) = cells >> (wide_unit_shift - BitsShift);
        const sixteen_units shifts = cells << BitsShift & ((1u << wide_unit_shift) - 1);
        *reinterpret_cast<sixteen_units*>(made.bits[i].data() + first) = wanted_ << shifts;
        if constexpr (Repeats) {
            all_[i] = cells;
#pragma GCC unroll 16
            for (unsigned j = 0; j < i; ++j) {
                different_[j % 4] = _mm512_mask_cmpneq_epi32_mask(different_[j % 4], reinterpret_cast<__m512i>(cells),
                                                                  reinterpret_cast<__m512i>(all_[j]));
            }
        }
    }

    /// Bit i: two positions of key i are equal.
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint32_t repeats() const noexcept {
        return ~static_cast<unsigned>(different_[0] & different_[1] & different_[2] & different_[3]) & 0xffff;
    }

private:
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] static inline eight_words load(std::uint64_t lanes,
                                                                                    const void* from) noexcept {
        return reinterpret_cast<eight_words>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from));
    }

    eight_words range_;
    Bits bits_;
    eight_words front_at_;
    eight_words back_at_;
    eight_words front_step_;
    eight_words back_step_;
    sixteen_units wanted_;
    std::uint64_t growth_;
    sixteen_units
        all_[Repeats ? most_wide_hashes : 1]; // NOLINT(*-avoid-c-arrays): std::array drops the attributes of the vector
    std::array<__mmask16, 4> different_;      // four, so that none waits for another
};

/// The same bits of every cell.
struct equal_places {
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline sixteen_units operator()(eight_words,
                                                                                     eight_words) const noexcept {
        const sixteen_units zero{};
        return zero + bits;
    }
    std::uint32_t bits;
};

/// Whether this processor has AVX-512.
[[nodiscard]] inline bool has_wide_vectors() noexcept {
    return is_modern() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

/// Whether such positions can be found with it: the usual scheme, up to sixteen below 2^32.
[[nodiscard]] inline bool finds_widely(const probing& how) noexcept {
    return how.scheme == probe_scheme::double_hashing && how.hashes <= most_wide_hashes && how.range <= UINT32_MAX &&
           has_wide_vectors();
}

/// Calls `act` with the number of hash functions as a constant, if it is one of the usual ones; otherwise returns false.
template <unsigned... Usual, class Act>
[[nodiscard]] bool with_usual_hashes(unsigned hashes, Act act) noexcept {
    return ((hashes == Usual && (act.template operator()<Usual>(), true)) || ...);
}

} // namespace everbloom::kernel
#endif
