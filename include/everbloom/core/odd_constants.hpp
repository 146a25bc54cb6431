// Odd numbers without a pattern, for counters and for separating uses of a digest. Part of the file format.
#pragma once

#include <cstdint>

namespace everbloom {

inline constexpr std::uint64_t golden_ratio_bits = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
inline constexpr std::uint64_t root_of_two_bits = 0x6a09e667f3bcc909;  // the fraction of the square root of 2

} // namespace everbloom
