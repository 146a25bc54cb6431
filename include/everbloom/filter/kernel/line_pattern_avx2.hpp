// The pattern of line_pattern.hpp in one AVX2 register. Same bits, checked by a
// differential test.
//
// The eight units of a vector are the eight lanes: each holds the bit chosen,
// and its sign bit, before that, the half it lies in. A query lets the sign
// bits pick each unit from the right half of the line and tests all eight bits
// at once.
//
// Functions carry their own target, so that the library needs no -mavx2; in a
// program compiled with it they are inlined.
#pragma once

#include <everbloom/filter/kernel/line_pattern.hpp>

#if defined(__x86_64__)
#define EVERBLOOM_AVX2_KERNEL 1

#include <immintrin.h>

#define EVERBLOOM_AVX2 [[gnu::target("avx2")]]
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_AVX2_LAMBDA __attribute__((target("avx2")))

namespace everbloom::kernel {

struct lane_pattern_avx2 {
    __m256i halves; // the sign bit of each unit: first or second half of the line
    __m256i bits;   // one bit in each unit
};

EVERBLOOM_AVX2 [[nodiscard]] inline lane_pattern_avx2 all_lanes_avx2(std::uint64_t hash) noexcept {
    const __m256i both = _mm256_set1_epi64x(static_cast<long long>(hash)); // even units: low half, odd units: high half
    const __m256i sixes = _mm256_sllv_epi32(both, _mm256_setr_epi32(0, 0, 6, 6, 12, 12, 18, 18));
    const __m256i index = _mm256_srli_epi32(_mm256_slli_epi32(sixes, 1), 27);
    return {sixes, _mm256_sllv_epi32(_mm256_set1_epi32(1), index)};
}

EVERBLOOM_AVX2 [[nodiscard]] inline lane_pattern_avx2 run_avx2(std::uint64_t hash, unsigned count) noexcept {
    const lane_pattern_avx2 all = all_lanes_avx2(hash);
    const auto* run = reinterpret_cast<const __m256i*>(lane_runs[count][run_start(hash)].unit.data());
    return {all.halves, _mm256_and_si256(all.bits, _mm256_load_si256(run))};
}

EVERBLOOM_AVX2 [[nodiscard]] inline bool covers_avx2(const __m256i* line, lane_pattern_avx2 pattern) noexcept {
    const __m256i chosen = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(_mm256_load_si256(line)),
                                                                _mm256_castsi256_ps(_mm256_load_si256(line + 1)),
                                                                _mm256_castsi256_ps(pattern.halves)));
    return _mm256_testc_si256(chosen, pattern.bits) != 0;
}

EVERBLOOM_AVX2 inline void set_avx2(__m256i* line, lane_pattern_avx2 pattern) noexcept {
    const __m256i second = _mm256_srai_epi32(pattern.halves, 31);
    const __m256i in_first = _mm256_andnot_si256(second, pattern.bits);
    const __m256i in_second = _mm256_and_si256(second, pattern.bits);
    _mm256_store_si256(line, _mm256_or_si256(_mm256_load_si256(line), in_first));
    _mm256_store_si256(line + 1, _mm256_or_si256(_mm256_load_si256(line + 1), in_second));
}

/// Eight hashes are the design point and pay for nothing else.
EVERBLOOM_AVX2 [[nodiscard]] inline bool line_contains_avx2(const std::uint64_t* line, std::uint64_t hash,
                                                            unsigned hashes) noexcept {
    const auto* halves = reinterpret_cast<const __m256i*>(line);
    if (hashes == lanes) return covers_avx2(halves, all_lanes_avx2(hash));
    if (hashes < lanes) return covers_avx2(halves, run_avx2(hash, hashes));
    return covers_avx2(halves, all_lanes_avx2(hash)) &&
           covers_avx2(halves, run_avx2(second_hash(hash), hashes - lanes));
}

EVERBLOOM_AVX2 inline void line_insert_avx2(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    auto* halves = reinterpret_cast<__m256i*>(line);
    if (hashes < lanes) return set_avx2(halves, run_avx2(hash, hashes));
    set_avx2(halves, all_lanes_avx2(hash));
    if (hashes > lanes) set_avx2(halves, run_avx2(second_hash(hash), hashes - lanes));
}

} // namespace everbloom::kernel

#endif
