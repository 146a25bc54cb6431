// Scanning a bucket that is one cache line of 32 cells of 16 bits, for processors with AVX2: the twin of scan_bucket_sse2<32>.
//
// Assembly, because it must be in line: a function with a target of its own is never inlined into a program that is not compiled for AVX2, and
// the call takes as long as the scan. Call these only if `is_modern`.
#pragma once

#include <everbloom/filter/kernel/bucket_scan.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <cstdint>

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {

/// Sixteen cells, as a memory operand.
struct [[gnu::may_alias]] half_bucket {
    std::uint64_t words[4];
};

/// All cells.
struct [[gnu::may_alias]] whole_bucket {
    std::uint64_t words[8];
};
#if defined(__AVX512F__) // elsewhere compilers neither use nor know these registers
#define EVERBLOOM_WIDE_LINE_REGISTERS "xmm16", "xmm17", "k1", "k2"
#else
#define EVERBLOOM_WIDE_LINE_REGISTERS
#endif
[[nodiscard]] inline bool has_wide_lines() noexcept {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}

/// The same masks as scan_bucket.
[[nodiscard, gnu::always_inline]] inline bucket_marks
scan_bucket_line(const std::uint64_t* bucket, unsigned counter_bits, std::uint64_t remainder) noexcept {
    const auto* half = reinterpret_cast<const half_bucket*>(bucket);
    unsigned empty;
    unsigned equal;
    asm("vmovd %[counters], %%xmm0\n\t"
        "vmovd %[wanted], %%xmm1\n\t"
        "vpxor %%xmm2, %%xmm2, %%xmm2\n\t"
        "vpcmpeqw %[first], %%ymm2, %%ymm3\n\t"
        "vpcmpeqw %[second], %%ymm2, %%ymm2\n\t"
        "vpbroadcastw %%xmm0, %%ymm0\n\t"
        "vpbroadcastw %%xmm1, %%ymm1\n\t"
        "vpacksswb %%ymm2, %%ymm3, %%ymm2\n\t"
        "vpandn %[first], %%ymm0, %%ymm3\n\t"
        "vpandn %[second], %%ymm0, %%ymm0\n\t"
        "vpermq $0xd8, %%ymm2, %%ymm2\n\t" // packing leaves the quarters as 0 2 1 3
        "vpcmpeqw %%ymm1, %%ymm3, %%ymm3\n\t"
        "vpcmpeqw %%ymm1, %%ymm0, %%ymm0\n\t"
        "vpacksswb %%ymm0, %%ymm3, %%ymm0\n\t"
        "vpermq $0xd8, %%ymm0, %%ymm0\n\t"
        "vpmovmskb %%ymm2, %[empty]\n\t"
        "vpmovmskb %%ymm0, %[equal]\n\t"
        "vzeroupper"
        : [empty] "=&r"(empty), [equal] "=&r"(equal)
        : [counters] "r"((1u << counter_bits) - 1), [wanted] "r"(static_cast<unsigned>(remainder << counter_bits)),
          [first] "m"(half[0]), [second] "m"(half[1])
        : EVERBLOOM_ALL_VECTORS);
    return {~empty, equal & ~empty};
}

/// Only the cells with this remainder, which is not 0: no empty cell has it.
[[nodiscard, gnu::always_inline]] inline std::uint64_t
equal_in_bucket_line(const std::uint64_t* bucket, unsigned counter_bits, std::uint64_t remainder) noexcept {
    const auto* half = reinterpret_cast<const half_bucket*>(bucket);
    unsigned equal;
    asm("vmovd %[counters], %%xmm0\n\t"
        "vmovd %[wanted], %%xmm1\n\t"
        "vpbroadcastw %%xmm0, %%ymm0\n\t"
        "vpbroadcastw %%xmm1, %%ymm1\n\t"
        "vpandn %[first], %%ymm0, %%ymm3\n\t"
        "vpandn %[second], %%ymm0, %%ymm0\n\t"
        "vpcmpeqw %%ymm1, %%ymm3, %%ymm3\n\t"
        "vpcmpeqw %%ymm1, %%ymm0, %%ymm0\n\t"
        "vpacksswb %%ymm0, %%ymm3, %%ymm0\n\t"
        "vpermq $0xd8, %%ymm0, %%ymm0\n\t"
        "vpmovmskb %%ymm0, %[equal]\n\t"
        "vzeroupper"
        : [equal] "=r"(equal)
        : [counters] "r"((1u << counter_bits) - 1), [wanted] "r"(static_cast<unsigned>(remainder << counter_bits)),
          [first] "m"(half[0]), [second] "m"(half[1])
        : EVERBLOOM_ALL_VECTORS);
    return equal;
}

/// Does bucket a hold remainder a, or bucket b remainder b? No remainder is 0.
[[nodiscard, gnu::always_inline]] inline bool two_lines_hold(const std::uint64_t* a, std::uint64_t remainder_a,
                                                             const std::uint64_t* b, std::uint64_t remainder_b,
                                                             unsigned counter_bits) noexcept {
    const auto* of_a = reinterpret_cast<const half_bucket*>(a);
    const auto* of_b = reinterpret_cast<const half_bucket*>(b);
    bool found;
    asm("vmovd %[counters], %%xmm0\n\t"
        "vmovd %[wanted_a], %%xmm1\n\t"
        "vmovd %[wanted_b], %%xmm2\n\t"
        "vpbroadcastw %%xmm0, %%ymm0\n\t"
        "vpbroadcastw %%xmm1, %%ymm1\n\t"
        "vpbroadcastw %%xmm2, %%ymm2\n\t"
        "vpandn %[a0], %%ymm0, %%ymm3\n\t"
        "vpandn %[a1], %%ymm0, %%ymm4\n\t"
        "vpandn %[b0], %%ymm0, %%ymm5\n\t"
        "vpandn %[b1], %%ymm0, %%ymm6\n\t"
        "vpcmpeqw %%ymm1, %%ymm3, %%ymm3\n\t"
        "vpcmpeqw %%ymm1, %%ymm4, %%ymm4\n\t"
        "vpcmpeqw %%ymm2, %%ymm5, %%ymm5\n\t"
        "vpcmpeqw %%ymm2, %%ymm6, %%ymm6\n\t"
        "vpor %%ymm3, %%ymm4, %%ymm3\n\t"
        "vpor %%ymm5, %%ymm6, %%ymm5\n\t"
        "vpor %%ymm3, %%ymm5, %%ymm3\n\t"
        "vptest %%ymm3, %%ymm3\n\t"
        "vzeroupper"
        : "=@ccnz"(found)
        : [counters] "r"((1u << counter_bits) - 1), [wanted_a] "r"(static_cast<unsigned>(remainder_a << counter_bits)),
          [wanted_b] "r"(static_cast<unsigned>(remainder_b << counter_bits)), [a0] "m"(of_a[0]), [a1] "m"(of_a[1]),
          [b0] "m"(of_b[0]), [b1] "m"(of_b[1])
        : EVERBLOOM_ALL_VECTORS);
    return found;
}

/// The same for whole cells: the lowest 16 bits of these numbers. With counters of one bit a key's cell has only one value, and a remainder of
/// 0 is no exception.
[[nodiscard, gnu::always_inline]] inline bool two_lines_have(const std::uint64_t* a, std::uint64_t cell_a,
                                                             const std::uint64_t* b, std::uint64_t cell_b) noexcept {
    const auto* of_a = reinterpret_cast<const half_bucket*>(a);
    const auto* of_b = reinterpret_cast<const half_bucket*>(b);
    bool found;
    asm("vmovd %[cell_a], %%xmm0\n\t"
        "vmovd %[cell_b], %%xmm1\n\t"
        "vpbroadcastw %%xmm0, %%ymm0\n\t"
        "vpbroadcastw %%xmm1, %%ymm1\n\t"
        "vpcmpeqw %[a0], %%ymm0, %%ymm2\n\t"
        "vpcmpeqw %[a1], %%ymm0, %%ymm0\n\t"
        "vpcmpeqw %[b0], %%ymm1, %%ymm3\n\t"
        "vpcmpeqw %[b1], %%ymm1, %%ymm1\n\t"
        "vpor %%ymm0, %%ymm2, %%ymm0\n\t"
        "vpor %%ymm1, %%ymm3, %%ymm1\n\t"
        "vpor %%ymm0, %%ymm1, %%ymm0\n\t"
        "vptest %%ymm0, %%ymm0\n\t"
        "vzeroupper"
        : "=@ccnz"(found)
        : [cell_a] "r"(static_cast<unsigned>(cell_a)), [cell_b] "r"(static_cast<unsigned>(cell_b)), [a0] "m"(of_a[0]),
          [a1] "m"(of_a[1]), [b0] "m"(of_b[0]), [b1] "m"(of_b[1])
        : EVERBLOOM_ALL_VECTORS);
    return found;
}

/// The same with AVX-512: only if has_wide_lines. In registers beyond those of AVX2, so that nothing is left to be cleared.
[[nodiscard, gnu::always_inline]] inline bool two_wide_lines_have(const std::uint64_t* a, std::uint64_t cell_a,
                                                                  const std::uint64_t* b,
                                                                  std::uint64_t cell_b) noexcept {
    const auto* of_a = reinterpret_cast<const whole_bucket*>(a);
    const auto* of_b = reinterpret_cast<const whole_bucket*>(b);
    bool found;
    asm("vpbroadcastw %k[cell_a], %%zmm16\n\t"
        "vpbroadcastw %k[cell_b], %%zmm17\n\t"
        "vpcmpeqw %[in_a], %%zmm16, %%k1\n\t"
        "vpcmpeqw %[in_b], %%zmm17, %%k2\n\t"
        "kortestd %%k1, %%k2"
        : "=@ccnz"(found)
        : [cell_a] "r"(cell_a), [cell_b] "r"(cell_b), [in_a] "m"(*of_a), [in_b] "m"(*of_b)
        : EVERBLOOM_WIDE_LINE_REGISTERS);
    return found;
}

/// Which cells are these: bits 0 to 31 those of bucket a, the others those of b.
[[nodiscard, gnu::always_inline]] inline std::uint64_t cells_of_two_lines(const std::uint64_t* a, std::uint64_t cell_a,
                                                                          const std::uint64_t* b,
                                                                          std::uint64_t cell_b) noexcept {
    const auto* of_a = reinterpret_cast<const half_bucket*>(a);
    const auto* of_b = reinterpret_cast<const half_bucket*>(b);
    std::uint64_t in_a;
    std::uint64_t in_b;
    asm("vmovd %[cell_a], %%xmm0\n\t"
        "vmovd %[cell_b], %%xmm1\n\t"
        "vpbroadcastw %%xmm0, %%ymm0\n\t"
        "vpbroadcastw %%xmm1, %%ymm1\n\t"
        "vpcmpeqw %[a0], %%ymm0, %%ymm2\n\t"
        "vpcmpeqw %[a1], %%ymm0, %%ymm0\n\t"
        "vpcmpeqw %[b0], %%ymm1, %%ymm3\n\t"
        "vpcmpeqw %[b1], %%ymm1, %%ymm1\n\t"
        "vpacksswb %%ymm0, %%ymm2, %%ymm0\n\t"
        "vpacksswb %%ymm1, %%ymm3, %%ymm1\n\t"
        "vpermq $0xd8, %%ymm0, %%ymm0\n\t" // packing leaves the quarters as 0 2 1 3
        "vpermq $0xd8, %%ymm1, %%ymm1\n\t"
        "vpmovmskb %%ymm0, %k[in_a]\n\t"
        "vpmovmskb %%ymm1, %k[in_b]\n\t"
        "vzeroupper"
        : [in_a] "=&r"(in_a), [in_b] "=&r"(in_b)
        : [cell_a] "r"(static_cast<unsigned>(cell_a)), [cell_b] "r"(static_cast<unsigned>(cell_b)), [a0] "m"(of_a[0]),
          [a1] "m"(of_a[1]), [b0] "m"(of_b[0]), [b1] "m"(of_b[1])
        : EVERBLOOM_ALL_VECTORS);
    return in_a | in_b << 32;
}

} // namespace everbloom::kernel
#endif
