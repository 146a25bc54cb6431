// The pattern of line_pattern.hpp in one AVX2 register. Same bits, checked by a
// differential test.
//
// The eight units of a vector are the eight lanes: each holds the bit chosen,
// and its sign bit, before that, the half it lies in. A query lets the sign
// bits pick each unit from the right half of the line and tests all eight bits
// at once.
//
// Functions carry their own target, so that the library needs no -mavx2; in a
// program compiled with it they are inlined. BMI2 came with AVX2: its
// multiplication, which hashes need, moves fewer registers.
#pragma once

#include <everbloom/filter/kernel/line_pattern.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#if defined(__x86_64__)
#define EVERBLOOM_AVX2_KERNEL 1

#define EVERBLOOM_AVX2 [[gnu::target("avx2,bmi2")]]
// Where an attribute of a lambda's call operator goes.
#define EVERBLOOM_AVX2_LAMBDA __attribute__((target("avx2,bmi2")))

namespace everbloom::kernel {

// Vectors of the compiler: <immintrin.h> has 47,000 lines, and every file that uses a filter would read them.
using eight_units = std::uint32_t __attribute__((vector_size(32), may_alias));
using eight_signed = std::int32_t __attribute__((vector_size(32), may_alias));
using eight_floats = float __attribute__((vector_size(32), may_alias));
using four_words = long long __attribute__((vector_size(32), may_alias));

/// Half a line, as a memory operand: of any type.
struct [[gnu::may_alias]] half_line {
    std::uint64_t words[line_words / 2];
};

struct lane_pattern_avx2 {
    eight_units halves; // the sign bit of each unit: first or second half of the line
    eight_units bits;   // one bit in each unit
};

EVERBLOOM_AVX2 [[nodiscard]] inline lane_pattern_avx2 all_lanes_avx2(std::uint64_t hash) noexcept {
    const auto word = static_cast<long long>(hash);
    const auto both =
        reinterpret_cast<eight_units>(four_words{word, word, word, word}); // even units: low half, odd: high
    const eight_units sixes = both << eight_units{0, 0, 6, 6, 12, 12, 18, 18};
    const eight_units index = (sixes << 1) >> 27;
    return {sixes, eight_units{1, 1, 1, 1, 1, 1, 1, 1} << index};
}

EVERBLOOM_AVX2 [[nodiscard]] inline lane_pattern_avx2 run_avx2(std::uint64_t hash, unsigned count) noexcept {
    const lane_pattern_avx2 all = all_lanes_avx2(hash);
    const auto* run = reinterpret_cast<const eight_units*>(lane_runs[count][run_start(hash)].unit.data());
    return {all.halves, all.bits & *run};
}

EVERBLOOM_AVX2 [[nodiscard]] inline bool covers_avx2(const eight_units* line, lane_pattern_avx2 pattern) noexcept {
    const auto chosen =
        __builtin_ia32_blendvps256(reinterpret_cast<eight_floats>(line[0]), reinterpret_cast<eight_floats>(line[1]),
                                   reinterpret_cast<eight_floats>(pattern.halves));
    return __builtin_ia32_ptestc256(reinterpret_cast<four_words>(chosen), reinterpret_cast<four_words>(pattern.bits)) !=
           0;
}

EVERBLOOM_AVX2 inline void set_avx2(eight_units* line, lane_pattern_avx2 pattern) noexcept {
    const auto second = reinterpret_cast<eight_units>(reinterpret_cast<eight_signed>(pattern.halves) >> 31);
    line[0] |= pattern.bits & ~second;
    line[1] |= pattern.bits & second;
}

/// Eight hashes are the design point and pay for nothing else.
EVERBLOOM_AVX2 [[nodiscard]] inline bool line_contains_avx2(const std::uint64_t* line, std::uint64_t hash,
                                                            unsigned hashes) noexcept {
    const auto* halves = reinterpret_cast<const eight_units*>(line);
    if (hashes == lanes) return covers_avx2(halves, all_lanes_avx2(hash));
    if (hashes < lanes) return covers_avx2(halves, run_avx2(hash, hashes));
    return covers_avx2(halves, all_lanes_avx2(hash)) &&
           covers_avx2(halves, run_avx2(second_hash(hash), hashes - lanes));
}

// The vectors of line_contains_inline and line_insert_inline, which have eight hashes.
alignas(32) inline constexpr std::array<std::uint32_t, lanes> lane_shifts{0, 0, 6, 6, 12, 12, 18, 18};
alignas(32) inline constexpr std::array<std::uint32_t, lanes> lane_ones{1, 1, 1, 1, 1, 1, 1, 1};

// The carry flag: all eight bits are in the line.
#define EVERBLOOM_LINE_COVERS                                                                                          \
    "vmovq %[hash], %%xmm0\n\t"                                                                                        \
    "vpbroadcastq %%xmm0, %%ymm0\n\t"                                                                                  \
    "vpsllvd %[shifts], %%ymm0, %%ymm0\n\t" /* sign bits: the half of the line */                                      \
    "vmovaps %[first], %%ymm1\n\t"                                                                                     \
    "vblendvps %%ymm0, %[second], %%ymm1, %%ymm1\n\t"                                                                  \
    "vpaddd %%ymm0, %%ymm0, %%ymm0\n\t"                                                                                \
    "vpsrld $27, %%ymm0, %%ymm0\n\t"                                                                                   \
    "vpsrlvd %%ymm0, %%ymm1, %%ymm0\n\t"                                                                               \
    "vptest %[ones], %%ymm0\n\t"

/// line_contains_avx2 for eight hashes, for programs that are not compiled for AVX2: there a function with a target of its own is never
/// inlined, and the call, with its arguments and the registers that it may change, takes as long as the query. Each unit is shifted until
/// the bit asked for is its lowest one.
[[nodiscard, gnu::always_inline]] inline bool line_contains_inline(const std::uint64_t* line,
                                                                   std::uint64_t hash) noexcept {
#if defined(__AVX2__)
    return line_contains_avx2(line, hash, lanes);
#else
    const auto* halves = reinterpret_cast<const half_line*>(line);
    bool covered;
    asm(EVERBLOOM_LINE_COVERS "vzeroupper"
        : "=@ccc"(covered)
        : [hash] "r"(hash), [first] "m"(halves[0]), [second] "m"(halves[1]), [shifts] "m"(lane_shifts),
          [ones] "m"(lane_ones)
        : EVERBLOOM_ALL_VECTORS);
    return covered;
#endif
}

/// The same in a whole register, which is cleared while the line is on its way: of two instructions that wait for it one is left. Where the
/// answer becomes a branch, or a byte for a caller far away, line_contains_inline takes fewer.
[[nodiscard, gnu::always_inline]] inline bool line_contains_in_register(const std::uint64_t* line,
                                                                        std::uint64_t hash) noexcept {
#if defined(__AVX2__)
    return line_contains_avx2(line, hash, lanes);
#else
    const auto* halves = reinterpret_cast<const half_line*>(line);
    unsigned covered;
    asm("xorl %[covered], %[covered]\n\t" EVERBLOOM_LINE_COVERS "setc %b[covered]\n\t"
        "vzeroupper"
        : [covered] "=&q"(covered)
        : [hash] "r"(hash), [first] "m"(halves[0]), [second] "m"(halves[1]), [shifts] "m"(lane_shifts),
          [ones] "m"(lane_ones)
        : "cc", EVERBLOOM_ALL_VECTORS);
    if (covered > 1) __builtin_unreachable();
    return covered != 0;
#endif
}
#undef EVERBLOOM_LINE_COVERS

EVERBLOOM_AVX2 inline void line_insert_avx2(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    auto* halves = reinterpret_cast<eight_units*>(line);
    if (hashes < lanes) return set_avx2(halves, run_avx2(hash, hashes));
    set_avx2(halves, all_lanes_avx2(hash));
    if (hashes > lanes) set_avx2(halves, run_avx2(second_hash(hash), hashes - lanes));
}

/// line_insert_avx2 for eight hashes, as line_contains_inline.
[[gnu::always_inline]] inline void line_insert_inline(std::uint64_t* line, std::uint64_t hash) noexcept {
#if defined(__AVX2__)
    line_insert_avx2(line, hash, lanes);
#else
    auto* halves = reinterpret_cast<half_line*>(line);
    asm("vmovq %[hash], %%xmm0\n\t"
        "vmovdqa %[ones], %%ymm2\n\t"
        "vpbroadcastq %%xmm0, %%ymm0\n\t"
        "vpsllvd %[shifts], %%ymm0, %%ymm0\n\t"
        "vpaddd %%ymm0, %%ymm0, %%ymm1\n\t"
        "vpsrad $31, %%ymm0, %%ymm0\n\t" // all ones: second half of the line
        "vpsrld $27, %%ymm1, %%ymm1\n\t"
        "vpsllvd %%ymm1, %%ymm2, %%ymm1\n\t"
        "vpandn %%ymm1, %%ymm0, %%ymm2\n\t"
        "vpand %%ymm1, %%ymm0, %%ymm0\n\t"
        "vpor %[first], %%ymm2, %%ymm2\n\t"
        "vpor %[second], %%ymm0, %%ymm0\n\t"
        "vmovdqa %%ymm2, %[first]\n\t"
        "vmovdqa %%ymm0, %[second]\n\t"
        "vzeroupper"
        : [first] "+m"(halves[0]), [second] "+m"(halves[1])
        : [hash] "r"(hash), [shifts] "m"(lane_shifts), [ones] "m"(lane_ones)
        : EVERBLOOM_ALL_VECTORS);
#endif
}

} // namespace everbloom::kernel

#endif
