// Units: words, cache lines and the largest structure.
#pragma once

#include <everbloom/core/checked.hpp>

#include <cstdint>

namespace everbloom {

inline constexpr std::uint64_t word_bits = 64;
inline constexpr std::uint64_t line_words = 8; // one cache line
inline constexpr std::uint64_t line_bytes = line_words * sizeof(std::uint64_t);
inline constexpr std::uint64_t line_bits = line_words * word_bits;

/// No structure is larger than this: 2^56 bits, far above any machine, so that sums of a few sizes cannot overflow.
inline constexpr std::uint64_t max_structure_bits = std::uint64_t{1} << 56;

/// Cache lines that hold `bits` bits.
[[nodiscard]] constexpr std::uint64_t lines_for_bits(std::uint64_t bits) noexcept {
    return ceil_divide(bits, line_bits);
}

} // namespace everbloom
