// Eight words in a vector of AVX-512, and the addresses of eight lines.
//
// A line's address is that of its unit and the line's place in it (line_directory.hpp). Where there are at most sixteen units, their addresses
// are in two vectors, from which one instruction takes those of eight lines: a filter of up to 4 MiB, or one whose lines are in one piece,
// which is one unit. Elsewhere the address of each line is loaded.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#define EVERBLOOM_WIDE [[gnu::target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")]]
/// With the instructions that put bytes between others and take them out, and shift two words at once.
#define EVERBLOOM_WIDE_CHANGE                                                                                          \
    [[gnu::target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi2,avx2,bmi,bmi2,lzcnt,popcnt")]]

namespace everbloom::kernel {

/// Found out before main(); until then, lines are changed in a slower way.
inline const bool changes_whole_lines = has_whole_lines() && __builtin_cpu_supports("avx512vbmi2") != 0;

// A vector of the compiler: g++ 12 warns of what is in most functions for AVX-512.
using wide_words = std::uint64_t __attribute__((vector_size(64)));

EVERBLOOM_WIDE [[gnu::always_inline]] inline wide_words load8(std::uint64_t lanes, const void* from) noexcept {
    return reinterpret_cast<wide_words>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from));
}
EVERBLOOM_WIDE [[gnu::always_inline]] inline void store8(void* to, wide_words what) noexcept {
    std::memcpy(to, &what, sizeof what);
}
EVERBLOOM_WIDE [[gnu::always_inline]] inline wide_words product8(wide_words a, wide_words b) noexcept {
    constexpr __mmask8 all = 0xff;
    return reinterpret_cast<wide_words>(
        _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
EVERBLOOM_WIDE [[gnu::always_inline]] inline wide_words lesser8(wide_words a, wide_words b) noexcept {
    constexpr __mmask8 all = 0xff;
    return reinterpret_cast<wide_words>(
        _mm512_maskz_min_epu64(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
/// `reduce` of each of eight words, for ranges below 2^32.
EVERBLOOM_WIDE [[gnu::always_inline]] inline wide_words reduce8(wide_words hash, wide_words range) noexcept {
    return ((product8(hash, range) >> 32) + product8(hash >> 32, range)) >> 32;
}

/// Eight digests, their halves apart; zeros behind the last of them.
struct wide_digests {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline wide_digests(const digest* items, std::size_t count) noexcept {
        const std::uint64_t halves = low_mask(static_cast<unsigned>(2 * std::min<std::size_t>(8, count)));
        const wide_words front = load8(halves & 0xff, items);
        const wide_words back = load8(halves >> 8, items + 4);
        low = __builtin_shufflevector(front, back, 0, 2, 4, 6, 8, 10, 12, 14);
        high = __builtin_shufflevector(front, back, 1, 3, 5, 7, 9, 11, 13, 15);
    }
    wide_words low;
    wide_words high;
};

/// The addresses of lines, of which there are `count`.
class wide_addresses {
public:
    template <class Word>
    EVERBLOOM_WIDE
        [[gnu::always_inline]] inline wide_addresses(const units_of_lines<Word>& lines, std::uint64_t count) noexcept
        : bits_(lines.unit_bits()) {
        const std::uint64_t units = ((count - 1) >> bits_) + 1;
        are_near_ = units <= 16;
        const std::uint64_t loaded = low_mask(static_cast<unsigned>(std::min<std::uint64_t>(units, 16)));
        low_ = load8(loaded & 0xff, lines.units());
        high_ = load8(loaded >> 8, lines.units() + 8);
    }
    /// Can eight be had at once?
    [[nodiscard]] bool are_near() const noexcept { return are_near_; }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline wide_words of(wide_words lines) const noexcept {
        constexpr __mmask8 all = 0xff;
        const wide_words units = lines >> bits_;
        const auto bases = reinterpret_cast<wide_words>(_mm512_maskz_permutex2var_epi64(
            all, reinterpret_cast<__m512i>(low_), reinterpret_cast<__m512i>(units), reinterpret_cast<__m512i>(high_)));
        return bases + ((lines - (units << bits_)) << 6);
    }

private:
    wide_words low_;
    wide_words high_;
    unsigned bits_;
    bool are_near_;
};

} // namespace everbloom::kernel

#endif
