// The pattern of line_pattern.hpp in two AVX2 registers. Same bits, checked by a differential test.
//
// Functions carry their own target, so that the library needs no -mavx2; in a program compiled with it they are inlined.
#pragma once

#include <everbloom/filter/kernel/line_pattern.hpp>

#if defined(__x86_64__)
#define EVERBLOOM_AVX2_KERNEL 1

#include <immintrin.h>

#define EVERBLOOM_AVX2 [[gnu::target("avx2")]]
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_AVX2_LAMBDA __attribute__((target("avx2")))

namespace everbloom::kernel {

struct line_pattern_avx2 {
    __m256i low;  // lanes 0..3
    __m256i high; // lanes 4..7
};

EVERBLOOM_AVX2 [[nodiscard]] inline __m256i lane_bits_avx2(__m256i hash, __m256i shifts) noexcept {
    const __m256i chosen = _mm256_and_si256(_mm256_srlv_epi64(hash, shifts), _mm256_set1_epi64x(63));
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1), chosen);
}

EVERBLOOM_AVX2 [[nodiscard]] inline line_pattern_avx2 all_lanes_avx2(std::uint64_t hash) noexcept {
    const __m256i wide = _mm256_set1_epi64x(static_cast<long long>(hash));
    return {lane_bits_avx2(wide, _mm256_setr_epi64x(0, 6, 12, 18)),
            lane_bits_avx2(wide, _mm256_setr_epi64x(24, 30, 36, 42))};
}

EVERBLOOM_AVX2 [[nodiscard]] inline line_pattern_avx2 run_avx2(std::uint64_t hash, unsigned count) noexcept {
    const line_pattern_avx2 all = all_lanes_avx2(hash);
    const auto* run = reinterpret_cast<const __m256i*>(lane_runs[count][run_start(hash)].lane.data());
    return {_mm256_and_si256(all.low, _mm256_load_si256(run)), _mm256_and_si256(all.high, _mm256_load_si256(run + 1))};
}

/// Eight hashes are the design point and pay for nothing else.
EVERBLOOM_AVX2 [[nodiscard]] inline line_pattern_avx2 pattern_avx2(std::uint64_t hash, unsigned hashes) noexcept {
    if (hashes == lanes) return all_lanes_avx2(hash);
    if (hashes < lanes) return run_avx2(hash, hashes);
    const line_pattern_avx2 first = all_lanes_avx2(hash);
    const line_pattern_avx2 second = run_avx2(second_hash(hash), hashes - lanes);
    return {_mm256_or_si256(first.low, second.low), _mm256_or_si256(first.high, second.high)};
}

EVERBLOOM_AVX2 [[nodiscard]] inline bool line_contains_avx2(const std::uint64_t* line, std::uint64_t hash,
                                                            unsigned hashes) noexcept {
    const line_pattern_avx2 pattern = pattern_avx2(hash, hashes);
    const auto* halves = reinterpret_cast<const __m256i*>(line);
    const __m256i missing = _mm256_or_si256(_mm256_andnot_si256(_mm256_load_si256(halves), pattern.low),
                                            _mm256_andnot_si256(_mm256_load_si256(halves + 1), pattern.high));
    return _mm256_testz_si256(missing, missing) != 0;
}

EVERBLOOM_AVX2 inline void line_insert_avx2(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    const line_pattern_avx2 pattern = pattern_avx2(hash, hashes);
    auto* halves = reinterpret_cast<__m256i*>(line);
    _mm256_store_si256(halves, _mm256_or_si256(_mm256_load_si256(halves), pattern.low));
    _mm256_store_si256(halves + 1, _mm256_or_si256(_mm256_load_si256(halves + 1), pattern.high));
}

} // namespace everbloom::kernel

#endif
