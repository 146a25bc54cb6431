// reduce: a uniform 64-bit number becomes a uniform index below `range`, by one multiplication instead of a division.
//
// The index is floor(hash * range / 2^64) [Lemire19]: monotone in the hash, so it is decided by the *high* bits. What else is
// taken from the same 64 bits must come from the low ones.
#pragma once

#include <everbloom/core/checked.hpp>

#include <cstdint>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t reduce(std::uint64_t hash, std::uint64_t range) noexcept {
    return multiply_wide(hash, range).high;
}

/// The smallest hash that becomes this index, which is below the range.
[[nodiscard]] constexpr std::uint64_t smallest_reduced_to(std::uint64_t index, std::uint64_t range) noexcept {
    const std::uint64_t below = divide_wide({0, index}, range); // index * 2^64 / range, rounded down
    return reduce(below, range) == index ? below : below + 1;
}

} // namespace everbloom
