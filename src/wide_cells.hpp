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

/// Where a cell is: `words[word] >> shift`, of which only the lowest six bits count.
struct cell_place {
    std::uint32_t shift;
    std::uint32_t word;
};

/// The places of up to 32 keys.
struct place_window {
    static constexpr std::size_t most_keys = 32;

    alignas(64) std::array<std::array<cell_place, most_keys>, most_wide_hashes> at;
    std::uint32_t repeats; // bit i: two positions of key i are equal
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

/// `BitsShift`: bits of a cell, as a power of two. `Hashes` as for for_each_hash.
template <unsigned BitsShift, unsigned Hashes>
struct wide_places {
    explicit wide_places(const probing& wanted) noexcept
        : how(wanted), is_far(how.range << BitsShift >> 3 > wide_near_bytes) {}

    /// Only the lower halves of the lanes count.
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] static inline eight_words product(eight_words a,
                                                                                       eight_words b) noexcept {
        constexpr __mmask8 all = 0xff;
        return reinterpret_cast<eight_words>(
            _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] static inline eight_words load(std::uint64_t lanes,
                                                                                    const void* from) noexcept {
        return reinterpret_cast<eight_words>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from));
    }

    /// The places of `count` keys, at most 32. `Repeats`: whether equal positions are looked for.
    template <bool Repeats>
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void find(const digest* items, std::size_t count,
                                                           place_window& made) const noexcept {
        constexpr unsigned word_shift = 6 - BitsShift; // cells in a word, as a power of two
        const eight_words zero{};
        const eight_words range = zero + how.range;
        made.repeats = 0;
        for (std::size_t first = 0; first < count; first += 8) {
            // Behind the last key there are zeros, which have places, too.
            const std::uint64_t halves =
                (std::uint64_t{1} << (2 * std::min<std::size_t>(8, count - first))) - 1; // two words of a digest each
            const eight_words front = load(halves & 0xff, items + first);
            const eight_words back = load(halves >> 8, items + first + 4);
            eight_words at = __builtin_shufflevector(front, back, 0, 2, 4, 6, 8, 10, 12, 14);
            eight_words step = __builtin_shufflevector(front, back, 1, 3, 5, 7, 9, 11, 13, 15) | 1;
            std::uint64_t growth = 0;
            eight_words all[Repeats ? most_wide_hashes : 1];           // NOLINT(*-avoid-c-arrays)
            std::array<__mmask8, 4> different{0xff, 0xff, 0xff, 0xff}; // four, so that none waits for the one before it
            for_each_hash<Hashes>(0, how.hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
                // reduce(): the upper half of a product with a number below 2^32; here it is in the upper half of the lane.
                const eight_words sum = product(at >> 32, range) + (product(at, range) >> 32);
                at += step;
                growth += golden_ratio_bits;
                step += growth;
                const eight_words shifts = sum >> (32 - BitsShift) & (std::uint64_t{63} >> BitsShift << BitsShift);
                const eight_words place = (sum >> word_shift & ~std::uint64_t{0xffffffff}) | shifts;
                *reinterpret_cast<eight_words*>(made.at[i].data() + first) = place;
                if constexpr (Repeats) {
                    all[i] = sum >> 32;
#pragma GCC unroll 16
                    for (unsigned j = 0; j < i; ++j) {
                        different[j % 4] = _mm512_mask_cmpneq_epi64_mask(
                            different[j % 4], reinterpret_cast<__m512i>(all[i]), reinterpret_cast<__m512i>(all[j]));
                    }
                }
            });
            if constexpr (Repeats)
                made.repeats |=
                    (~static_cast<unsigned>(different[0] & different[1] & different[2] & different[3]) & 0xff) << first;
        }
    }

    /// Sends for the words of the cells of a key from number `from` on.
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void prefetch(const std::uint64_t* words, const place_window& of,
                                                               std::size_t key, unsigned from) const noexcept {
        for_each_hash<Hashes>(from, how.hashes,
                              [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { prefetch_line(words + of.at[i][key].word); });
    }

    probing how;
    bool is_far;
};

/// Whether this processor has AVX-512, and such positions can be found with it: the usual scheme, up to sixteen below 2^32.
[[nodiscard]] inline bool finds_widely(const probing& how) noexcept {
    return how.scheme == probe_scheme::double_hashing && how.hashes <= most_wide_hashes && how.range <= UINT32_MAX &&
           is_modern() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

/// Calls `act` with the number of hash functions as a constant, if it is one of the usual ones; otherwise returns false.
template <unsigned... Usual, class Act>
[[nodiscard]] bool with_usual_hashes(unsigned hashes, Act act) noexcept {
    return ((hashes == Usual && (act.template operator()<Usual>(), true)) || ...);
}

} // namespace everbloom::kernel
#endif
