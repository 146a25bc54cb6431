// Arithmetic on untrusted numbers: every sum and product of sizes that come from a file or a user goes through here.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace everbloom {

// The words of every file are little-endian and are used in place; a big-endian port would convert while loading.
static_assert(std::endian::native == std::endian::little, "everbloom supports little-endian machines only");

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

/// Rounds up and cannot overflow, unlike (a + b - 1) / b. The divisor is never zero.
[[nodiscard]] constexpr std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
}

struct wide_product {
    std::uint64_t low;
    std::uint64_t high;
};

/// Both halves of a 64 x 64 bit product, which the processor computes in one instruction.
[[nodiscard]] constexpr wide_product multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
}

} // namespace everbloom
