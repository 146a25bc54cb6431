// Code for x86-64 processors of the last ten years: counting bits in one instruction, shifts that leave the flags alone, vector
// instructions with three operands. A function that carries EVERBLOOM_MODERN is compiled for them together with everything that is
// inlined into it, and called only where `is_modern` says so; no part of the library needs -march.
#pragma once

#if defined(__x86_64__)
#define EVERBLOOM_MODERN_X86 1
#define EVERBLOOM_MODERN [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]]

// The registers that vzeroupper changes: all of them, whatever the function around the instruction is compiled for.
#define EVERBLOOM_ALL_VECTORS                                                                                          \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",         \
        "xmm13", "xmm14", "xmm15"

namespace everbloom::kernel {

/// A few loads and tests; the CPU features were detected at program start.
[[nodiscard]] inline bool is_modern() noexcept {
#if defined(__AVX2__) && defined(__BMI2__) && defined(__POPCNT__)
    return true;
#else
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
           __builtin_cpu_supports("popcnt") != 0;
#endif
}

} // namespace everbloom::kernel
#endif
