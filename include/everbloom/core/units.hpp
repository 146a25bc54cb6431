// Units: the names of the sizes that everything else is measured in.
#pragma once

#include <cstdint>

namespace everbloom {

inline constexpr std::uint64_t word_bits = 64;
inline constexpr std::uint64_t line_words = 8; // one cache line
inline constexpr std::uint64_t line_bytes = 64;
inline constexpr std::uint64_t line_bits = 512;

/// No structure is larger than this: 2^56 bits, far above any machine, so that sums of a few sizes cannot overflow.
inline constexpr std::uint64_t max_structure_bits = std::uint64_t{1} << 56;

/// Cache lines that hold so many bits.
[[nodiscard]] constexpr std::uint64_t lines_for_bits(std::uint64_t bits) noexcept {
    return bits / line_bits + (bits % line_bits != 0 ? 1 : 0);
}

} // namespace everbloom
