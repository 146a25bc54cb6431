// What a line is asked, in two ways with the same answers: where the n-th set bit of its ends is (select), which of its bytes are equal to
// a given one, and the lowest n bits of a word.
//
// Processors with BMI2 have an instruction, pdep, that nearly is the answer: it puts a single bit where the n-th set bit is. On
// AMD's Zen 1 and Zen 2 it exists, but takes up to 300 cycles; there, and everywhere else, prefix sums of bytes and a table do it.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace everbloom::kernel {

/// All bits set if `a` is below `b`, else none, in a way that the compiler cannot turn into a branch: where the condition is as good as
/// random, every second guess of a branch would be wrong.
[[nodiscard, gnu::always_inline]] inline std::uint64_t all_if_below(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__x86_64__)
    std::uint64_t made;
    asm("cmp %2, %1\n\tsbb %0, %0" : "=r"(made) : "r"(a), "rm"(b) : "cc");
    return made;
#else
    std::uint64_t made = 0 - static_cast<std::uint64_t>(a < b);
#if defined(__aarch64__)
    asm("" : "+r"(made));
#endif
    return made;
#endif
}

/// in_byte[n][byte]: position of the n-th set bit of a byte.
inline constexpr auto select_in_byte = [] {
    std::array<std::array<std::uint8_t, 256>, 8> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned found = 0;
        for (unsigned bit = 0; bit < 8; ++bit) {
            if ((byte >> bit & 1) != 0) table[found++][byte] = static_cast<std::uint8_t>(bit);
        }
    }
    return table;
}();

/// For every machine. `rank` counts from 0 and is below the number of set bits.
struct portable_select {
    /// Whether `equal_bytes` is worth it: it looks at the whole line.
    static constexpr bool compares_lines = false;

    /// In a number of 128 bits.
    [[nodiscard]] static unsigned position(std::uint64_t low, std::uint64_t high, unsigned rank) noexcept {
        const auto ones = static_cast<unsigned>(std::popcount(low));
        const std::uint64_t in_low = all_if_below(rank, ones);
        const std::uint64_t word = high ^ ((low ^ high) & in_low);
        const unsigned sooner = ones & ~static_cast<unsigned>(in_low);
        return position(word, rank - sooner) + (64 & ~static_cast<unsigned>(in_low));
    }
    [[nodiscard]] static unsigned position(std::uint64_t word, unsigned rank) noexcept {
        constexpr std::uint64_t ones = 0x0101010101010101;
        constexpr std::uint64_t highest = 0x8080808080808080;
        std::uint64_t sums = word - (word >> 1 & 0x5555555555555555);
        sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
        sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f) * ones; // byte i: set bits of the bytes 0 to i
        // Bytes before the one that has it: those whose sum is at most the rank.
        const std::uint64_t before = ((rank * ones | highest) - sums) & highest;
        const auto byte = static_cast<unsigned>((before >> 7) * ones >> 56) * 8;
        const auto sooner = static_cast<unsigned>((sums << 8) >> byte & 0xff);
        return byte + select_in_byte[(rank - sooner) & 7][word >> byte & 0xff];
    }
    /// `count` at most 64.
    [[nodiscard]] static std::uint64_t lowest(std::uint64_t word, unsigned count) noexcept {
        return word & low_mask(count);
    }
};

#if defined(EVERBLOOM_MODERN_X86)

/// For processors for which `fast_pdep` is true. An instruction in assembler, because the intrinsic asks for a target that the
/// templates it is used in do not have; it is inlined into functions that do.
struct pdep_select {
    static constexpr bool compares_lines = true;

    [[nodiscard, gnu::always_inline]] static inline unsigned position(std::uint64_t low, std::uint64_t high,
                                                                      unsigned rank) noexcept {
        // Which word it is in is as good as random. The compiler would guess; these are conditional moves.
        unsigned rest = rank;
        std::uint64_t word = high;
        std::uint64_t before = 0; // 0, or minus one if it is in the low word
        asm("sub %k[ones], %k[rest]\n\t"
            "cmovb %k[rank], %k[rest]\n\t"
            "cmovb %[low], %[word]\n\t"
            "sbb %[before], %[before]"
            : [rest] "+&r"(rest), [word] "+&r"(word), [before] "=&r"(before)
            : [ones] "r"(static_cast<unsigned>(std::popcount(low))), [rank] "r"(rank), [low] "r"(low)
            : "cc");
        return position(word, rest) + 64 + (static_cast<unsigned>(before) & ~63U);
    }
    /// Bit i: is byte i of the 64 equal to the lowest one of `byte`? The upper halves of two vector registers are left in use:
    /// see `leave_vectors`.
    [[nodiscard, gnu::always_inline]] static inline std::uint64_t equal_bytes(const void* line,
                                                                              std::uint32_t byte) noexcept {
        struct whole {
            char bytes[64];
        };
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        asm("vmovd %[byte], %%xmm0\n\t"
            "vpbroadcastb %%xmm0, %%ymm0\n\t"
            "vpcmpeqb 32(%[line]), %%ymm0, %%ymm1\n\t"
            "vpcmpeqb (%[line]), %%ymm0, %%ymm0\n\t"
            "vpmovmskb %%ymm1, %k[high]\n\t"
            "vpmovmskb %%ymm0, %k[low]"
            : [low] "=r"(low), [high] "=r"(high)
            : [byte] "r"(byte), [line] "r"(line), "m"(*static_cast<const whole*>(line))
            : "xmm0", "xmm1");
        return high << 32 | low;
    }
    /// Code without vectors of 32 bytes is slow on some processors until this is said. The compiler must keep nothing in them.
    [[gnu::always_inline]] static inline void leave_vectors() noexcept {
        asm volatile("vzeroupper"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
    }

    [[nodiscard, gnu::always_inline]] static inline unsigned position(std::uint64_t word, unsigned rank) noexcept {
        std::uint64_t single = 0;
        asm("pdep %2, %1, %0" : "=r"(single) : "r"(std::uint64_t{1} << rank), "rm"(word));
        return static_cast<unsigned>(__builtin_ctzll(single));
    }
    [[nodiscard, gnu::always_inline]] static inline std::uint64_t lowest(std::uint64_t word, unsigned count) noexcept {
        std::uint64_t kept = 0;
        asm("bzhi %2, %1, %0" : "=r"(kept) : "rm"(word), "r"(std::uint64_t{count}) : "cc");
        return kept;
    }
};

[[nodiscard]] inline bool has_fast_pdep() noexcept {
    __builtin_cpu_init();
    return is_modern() && __builtin_cpu_is("znver1") == 0 && __builtin_cpu_is("znver2") == 0;
}
/// Found out before main(); until then, everything is done the slower way.
inline const bool fast_pdep = has_fast_pdep();
[[nodiscard]] inline bool has_whole_lines() noexcept {
    return has_fast_pdep() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0;
}
/// All 64 bytes of a line in one instruction of AVX-512.
inline const bool compares_whole_lines = has_whole_lines();

#endif

} // namespace everbloom::kernel
