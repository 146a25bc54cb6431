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

namespace portable { // for machines without 128-bit integers

/// Four products of halves.
[[nodiscard]] constexpr wide_product multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t half = 0xffffffff;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t middle = (a & half) * (b >> 32) + (cross & half);
    return {(middle << 32) | (low & half), (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32)};
}

/// Long division, bit by bit: the rest stays below the divisor, so at most one bit of it is shifted out.
[[nodiscard]] constexpr std::uint64_t divide_wide(wide_product number, std::uint64_t divisor) noexcept {
    std::uint64_t quotient = 0;
    std::uint64_t rest = number.high;
    for (unsigned bit = 64; bit-- > 0;) {
        const bool out = (rest >> 63) != 0;
        rest = (rest << 1) | ((number.low >> bit) & 1);
        if (out || rest >= divisor) {
            rest -= divisor;
            quotient |= std::uint64_t{1} << bit;
        }
    }
    return quotient;
}

} // namespace portable

/// Both halves of a 64 x 64 bit product, which a 64-bit processor computes in one instruction.
[[nodiscard]] constexpr wide_product multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
    return portable::multiply_wide(a, b);
#endif
}

/// The same for hash functions, which use both halves in loops that are short of registers: there g++ 12 keeps the product as one value and
/// carries it through memory, a tenth of a query. Where only one half is used, the other function is the better one.
[[nodiscard, gnu::always_inline]] constexpr wide_product multiply_to_halves(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    if (!__builtin_is_constant_evaluated()) {
        wide_product product{a, 0};
        asm("mulq %[b]" : "+a"(product.low), "=d"(product.high) : [b] "rm"(b) : "cc");
        return product;
    }
#endif
    return multiply_wide(a, b);
}

/// (high * 2^64 + low) / divisor, where high < divisor, so that the quotient has 64 bits.
[[nodiscard]] constexpr std::uint64_t divide_wide(wide_product number, std::uint64_t divisor) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(((static_cast<wide>(number.high) << 64) | number.low) / divisor);
#else
    return portable::divide_wide(number, divisor);
#endif
}

} // namespace everbloom
