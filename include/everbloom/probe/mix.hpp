// mix: a bijection of 64 bits in which every input bit reaches every output bit (the finaliser of SplitMix64 [Steele14]).
#pragma once

#include <everbloom/core/odd_constants.hpp>

#include <cstdint>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

} // namespace everbloom
