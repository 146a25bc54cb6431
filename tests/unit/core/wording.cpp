// Numbers in sentences, at the values where their form changes.
#include <everbloom/core/wording.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace everbloom {
namespace {

TEST(wording, a_rate_has_three_significant_digits_down_to_a_millionth) {
    EXPECT_EQ(rate_text(1), "100 %");
    EXPECT_EQ(rate_text(0.9996), "100 %");
    EXPECT_EQ(rate_text(0.5), "50.0 %");
    EXPECT_EQ(rate_text(0.0999), "9.99 %");
    EXPECT_EQ(rate_text(0.09999), "10.0 %"); // rounded up into the next decade: not 10.00
    EXPECT_EQ(rate_text(0.01), "1.00 %");
    EXPECT_EQ(rate_text(0.001), "0.100 %");
    EXPECT_EQ(rate_text(0.0009999), "0.100 %");
    EXPECT_EQ(rate_text(1e-6), "0.000100 %");
}

TEST(wording, a_tiny_rate_has_an_exponent_and_below_a_billionth_none) {
    EXPECT_EQ(rate_text(9.99e-7), "9.99e-05 %");
    EXPECT_EQ(rate_text(1.25e-7), "1.25e-05 %");
    EXPECT_EQ(rate_text(1e-9), "1.00e-07 %");
    EXPECT_EQ(rate_text(9.99e-10), "< 1e-9");
    EXPECT_EQ(rate_text(std::numeric_limits<double>::denorm_min()), "< 1e-9");
    EXPECT_EQ(rate_text(0), "0 %");
}

TEST(wording, thousands_are_separated) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(21290), "21,290");
    EXPECT_EQ(grouped(1'000'000), "1,000,000");
    EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(wording, only_one_is_singular) {
    EXPECT_EQ(counted(0, "key"), "0 keys");
    EXPECT_EQ(counted(1, "key"), "1 key");
    EXPECT_EQ(counted(2, "key"), "2 keys");
    EXPECT_EQ(counted(21290, "key"), "21,290 keys");
}

TEST(wording, an_estimate_needs_cells_that_are_not_all_occupied) {
    EXPECT_EQ(estimated_keys(-1), "about 0 keys");
    EXPECT_EQ(estimated_keys(0.6), "about 1 key");
    EXPECT_EQ(estimated_keys(21290.4), "about 21,290 keys");
    constexpr const char* unknown = "an unknown number of keys (all cells are occupied)";
    EXPECT_EQ(estimated_keys(1e18), unknown);
    EXPECT_EQ(estimated_keys(std::numeric_limits<double>::infinity()), unknown);
    EXPECT_EQ(estimated_keys(std::numeric_limits<double>::quiet_NaN()), unknown);
}

TEST(wording, bytes_have_binary_units) {
    EXPECT_EQ(bytes_text(0), "0 bytes");
    EXPECT_EQ(bytes_text(1), "1 byte");
    EXPECT_EQ(bytes_text(1023), "1,023 bytes");
    EXPECT_EQ(bytes_text(1024), "1.0 KiB");
    EXPECT_EQ(bytes_text(4793), "4.7 KiB");
    EXPECT_EQ(bytes_text((std::uint64_t{1} << 20) - 1), "1024.0 KiB");
    EXPECT_EQ(bytes_text(std::uint64_t{1} << 20), "1.0 MiB");
    EXPECT_EQ(bytes_text(std::uint64_t{1} << 60), "1.0 EiB");
    EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

} // namespace
} // namespace everbloom
