// Arithmetic on untrusted numbers: right where it fits, refused where it does not.
#include <everbloom/core/checked.hpp>
#include <everbloom/core/units.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace everbloom {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(checked_arithmetic, adds_up_to_the_largest_number) {
    EXPECT_EQ(checked_add(2, 3), 5u);
    EXPECT_EQ(checked_add(largest, 0), largest);
    EXPECT_EQ(checked_add(largest - 1, 1), largest);
}

TEST(checked_arithmetic, refuses_a_sum_that_does_not_fit) {
    EXPECT_EQ(checked_add(largest, 1), std::nullopt);
    EXPECT_EQ(checked_add(largest, largest), std::nullopt);
}

TEST(checked_arithmetic, multiplies_up_to_the_largest_number) {
    EXPECT_EQ(checked_multiply(6, 7), 42u);
    EXPECT_EQ(checked_multiply(largest, 1), largest);
    EXPECT_EQ(checked_multiply(largest, 0), 0u);
    EXPECT_EQ(checked_multiply(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1), 0xffffffff00000000u);
}

TEST(checked_arithmetic, refuses_a_product_that_does_not_fit) {
    EXPECT_EQ(checked_multiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
    EXPECT_EQ(checked_multiply(largest, 2), std::nullopt);
    EXPECT_EQ(checked_multiply(largest / 64 + 1, 64), std::nullopt);
}

TEST(checked_arithmetic, ceil_divide_rounds_up_even_at_the_top) {
    EXPECT_EQ(ceil_divide(0, 64), 0u);
    EXPECT_EQ(ceil_divide(1, 64), 1u);
    EXPECT_EQ(ceil_divide(64, 64), 1u);
    EXPECT_EQ(ceil_divide(65, 64), 2u);
    EXPECT_EQ(ceil_divide(largest, 2), std::uint64_t{1} << 63);
    EXPECT_EQ(ceil_divide(largest, largest), 1u);
}

void expect_product(std::uint64_t a, std::uint64_t b, std::uint64_t high, std::uint64_t low) {
    const wide_product product = multiply_wide(a, b);
    EXPECT_EQ(product.high, high);
    EXPECT_EQ(product.low, low);
}

TEST(checked_arithmetic, is_the_same_without_128_bit_integers) {
    std::uint64_t state = 1;
    const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
    for (int i = 0; i < 10'000; ++i) {
        const unsigned shift = static_cast<unsigned>(i) % 64;
        const std::uint64_t a = next() >> shift;
        const std::uint64_t b = next() >> (63 - shift);
        const wide_product product = multiply_wide(a, b);
        EXPECT_EQ(portable::multiply_wide(a, b).low, product.low) << a << " * " << b;
        EXPECT_EQ(multiply_to_halves(a, b).low, product.low) << a << " * " << b;
        EXPECT_EQ(multiply_to_halves(a, b).high, product.high) << a << " * " << b;
        EXPECT_EQ(portable::multiply_wide(a, b).high, product.high) << a << " * " << b;
        const std::uint64_t divisor = std::max(product.high, b) | 1;
        if (product.high >= divisor) continue;
        EXPECT_EQ(portable::divide_wide(product, divisor), divide_wide(product, divisor)) << a << " * " << b;
    }
    EXPECT_EQ(divide_wide(multiply_wide(largest, largest - 1), largest), largest - 1);
    EXPECT_EQ(portable::divide_wide(multiply_wide(largest, largest - 1), largest), largest - 1);
}

TEST(checked_arithmetic, multiply_wide_gives_both_halves_of_the_product) {
    expect_product(largest, largest, largest - 1, 1);
    expect_product(std::uint64_t{1} << 63, 2, 1, 0);
    expect_product(largest, 1, 0, largest);
    // Worked out with another program's long integers.
    expect_product(0x123456789abcdef0, 0xfedcba9876543210, 0x121fa00ad77d7422, 0x236d88fe5618cf00);
}

TEST(units, lines_are_rounded_up_without_overflow) {
    EXPECT_EQ(lines_for_bits(0), 0u);
    EXPECT_EQ(lines_for_bits(1), 1u);
    EXPECT_EQ(lines_for_bits(512), 1u);
    EXPECT_EQ(lines_for_bits(513), 2u);
    EXPECT_EQ(lines_for_bits(largest), (std::uint64_t{1} << 55));
}

} // namespace
} // namespace everbloom
