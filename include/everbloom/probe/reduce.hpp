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

} // namespace everbloom
