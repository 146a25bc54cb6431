// XXH3-128 of a key of eight bytes: a whole number. The same digest as hash/xxh3.hpp, but short enough to be inlined into a loop over
// numbers, and without <xxhash.h>, whose general function is a call of a hundred instructions.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/digest.hpp>

#include <cstdint>

namespace everbloom::xxh3_number {

/// What the seed contributes; the same for all numbers.
[[nodiscard]] constexpr std::uint64_t whitening_of(std::uint64_t seed) noexcept {
    const auto low = static_cast<std::uint32_t>(seed);
    const std::uint64_t turned = low << 24 | (low & 0xff00u) << 8 | (low >> 8 & 0xff00u) | low >> 24;
    return 0xc4f023344dc994ac + (seed ^ turned << 32); // words 2 and 3 of XXH3's secret, xor
}

/// What numbers are multiplied by.
struct factors {
    std::uint64_t whole;
    std::uint64_t low = 0x9fb21c651e98df25;
    std::uint64_t high = 0x165667919e3779f9;
};
/// Those of eight bytes in memory: where two hashes are in line in one loop, the registers are for the factors of the other one (src/xxh3.cpp).
extern const factors eight_bytes;

[[nodiscard]] constexpr factors factors_of(std::uint64_t bytes) noexcept {
    return {.whole = 0x9e3779b185ebca87 + (bytes << 2)};
}

[[nodiscard]] constexpr digest mixed(std::uint64_t number, std::uint64_t whitening, const factors& by) noexcept {
    const wide_product product = multiply_to_halves(number ^ whitening, by.whole);
    std::uint64_t high = product.high + (product.low << 1);
    std::uint64_t low = product.low ^ high >> 3;
    low = (low ^ low >> 35) * by.low;
    high = (high ^ high >> 37) * by.high;
    return {low ^ low >> 28, high ^ high >> 32};
}

/// Of 4 to 8 bytes, whose first four and last four are the halves of the number.
[[nodiscard]] constexpr digest of_bytes(std::uint64_t number, std::uint64_t bytes, std::uint64_t whitening) noexcept {
    return mixed(number, whitening, factors_of(bytes));
}

[[nodiscard]] constexpr digest of(std::uint64_t number, std::uint64_t whitening) noexcept {
    return of_bytes(number, sizeof number, whitening);
}

} // namespace everbloom::xxh3_number
