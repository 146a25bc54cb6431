// SipHash of four keys side by side: each has a 64-bit lane of four AVX2 registers. The same digests as key by key, in less than half
// of the time: one key alone is a chain of operations that wait for each other.
//
// Keys of unequal length are no obstacle as long as they differ by a few words: a lane whose message has ended keeps its state while
// the others go on. Longer differences are left to the caller, one key at a time.
#pragma once

#include "sip_message.hpp"

#include <everbloom/filter/kernel/line_pattern_avx2.hpp>
#include <everbloom/hash/hash_key.hpp>

#if defined(EVERBLOOM_AVX2_KERNEL)
#include <immintrin.h>

#include <algorithm>

namespace everbloom {

struct sip_lanes {
    __m256i v0;
    __m256i v1;
    __m256i v2;
    __m256i v3;

    EVERBLOOM_AVX2 static __m256i of(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) noexcept {
        return _mm256_set_epi64x(static_cast<long long>(d), static_cast<long long>(c), static_cast<long long>(b),
                                 static_cast<long long>(a));
    }
    template <int bits>
    EVERBLOOM_AVX2 static __m256i rotated(__m256i lanes) noexcept {
        if constexpr (bits == 32) return _mm256_shuffle_epi32(lanes, 0b10'11'00'01);
        if constexpr (bits == 16) {
            const __m256i bytes =
                _mm256_set_epi64x(0x0d0c0b0a09080f0e, 0x0504030201000706, 0x0d0c0b0a09080f0e, 0x0504030201000706);
            return _mm256_shuffle_epi8(lanes, bytes);
        }
        return _mm256_or_si256(_mm256_slli_epi64(lanes, bits), _mm256_srli_epi64(lanes, 64 - bits));
    }

    EVERBLOOM_AVX2 void round() noexcept {
        v0 = _mm256_add_epi64(v0, v1);
        v2 = _mm256_add_epi64(v2, v3);
        v1 = _mm256_xor_si256(rotated<13>(v1), v0);
        v3 = _mm256_xor_si256(rotated<16>(v3), v2);
        v0 = rotated<32>(v0);
        v2 = _mm256_add_epi64(v2, v1);
        v0 = _mm256_add_epi64(v0, v3);
        v1 = _mm256_xor_si256(rotated<17>(v1), v2);
        v3 = _mm256_xor_si256(rotated<21>(v3), v0);
        v2 = rotated<32>(v2);
    }
    EVERBLOOM_AVX2 void absorb(__m256i words) noexcept {
        v3 = _mm256_xor_si256(v3, words);
        round();
        round();
        v0 = _mm256_xor_si256(v0, words);
    }
    /// The same, only in lanes whose mask is set.
    EVERBLOOM_AVX2 void absorb(__m256i words, __m256i mask) noexcept {
        const sip_lanes before = *this;
        absorb(words);
        v0 = _mm256_blendv_epi8(before.v0, v0, mask);
        v1 = _mm256_blendv_epi8(before.v1, v1, mask);
        v2 = _mm256_blendv_epi8(before.v2, v2, mask);
        v3 = _mm256_blendv_epi8(before.v3, v3, mask);
    }
    EVERBLOOM_AVX2 __m256i finish() noexcept {
        for (int i = 0; i < 4; ++i) round();
        return _mm256_xor_si256(_mm256_xor_si256(v0, v1), _mm256_xor_si256(v2, v3));
    }
};

/// The four digests, or false if the keys' lengths differ by too much.
EVERBLOOM_AVX2 inline bool siphash_four(const sip_start& start, const key_bytes (&keys)[4], digest* digests) noexcept {
    sip_lanes state{
        _mm256_set1_epi64x(static_cast<long long>(start.v0)), _mm256_set1_epi64x(static_cast<long long>(start.v1)),
        _mm256_set1_epi64x(static_cast<long long>(start.v2)), _mm256_set1_epi64x(static_cast<long long>(start.v3))};
    const sip_message a(keys[0]), b(keys[1]), c(keys[2]), d(keys[3]);
    const auto [fewest, most] = std::minmax({a.words, b.words, c.words, d.words});
    if (most - fewest > 4) return false;
    for (std::size_t i = 0; i < fewest; ++i) state.absorb(sip_lanes::of(a.word(i), b.word(i), c.word(i), d.word(i)));
    if (fewest == most) {
        state.absorb(sip_lanes::of(a.last, b.last, c.last, d.last));
    } else {
        const __m256i ends = sip_lanes::of(a.words, b.words, c.words, d.words);
        for (std::size_t i = fewest; i <= most; ++i) {
            const __m256i ended = _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(i)), ends);
            const __m256i going_on = _mm256_xor_si256(ended, _mm256_set1_epi64x(-1));
            state.absorb(sip_lanes::of(a.word_or_last(i), b.word_or_last(i), c.word_or_last(i), d.word_or_last(i)),
                         going_on);
        }
    }
    state.v2 = _mm256_xor_si256(state.v2, _mm256_set1_epi64x(0xee));
    const __m256i low = state.finish();
    state.v1 = _mm256_xor_si256(state.v1, _mm256_set1_epi64x(0xdd));
    const __m256i high = state.finish();
    alignas(32) std::uint64_t lows[4];
    alignas(32) std::uint64_t highs[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lows), low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(highs), high);
    for (std::size_t i = 0; i < 4; ++i) digests[i] = {lows[i], highs[i]};
    return true;
}

} // namespace everbloom
#endif
