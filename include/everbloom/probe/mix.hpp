// mix: a bijection of 64 bits in which every input bit reaches every output bit (the finaliser of SplitMix64 [Steele14]).
#pragma once

#include <cstdint>

namespace everbloom {

// Odd numbers without a pattern, for counters and for telling uses of a digest apart. Files depend on them.
inline constexpr std::uint64_t golden_ratio_bits = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
inline constexpr std::uint64_t root_of_two_bits = 0x6a09e667f3bcc909;  // the fraction of the square root of 2

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

} // namespace everbloom
