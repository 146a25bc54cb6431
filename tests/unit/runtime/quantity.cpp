// Quantities as people write them, and what is no quantity at all.
#include <everbloom/runtime/quantity.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace everbloom {
namespace {

struct size_example {
    std::string_view text;
    std::uint64_t value;
};

TEST(sizes, are_read_with_and_without_suffixes) {
    constexpr size_example examples[] = {
        {"0", 0},
        {"5000", 5000},
        {"10k", 10'000},
        {"10K", 10'000},
        {"1.5k", 1500},
        {"0.1k", 100},
        {"1e6", 1'000'000},
        {"2.5e3", 2500},
        {"4MiB", 4 << 20},
        {"4Mi", 4 << 20},
        {"1Ki", 1024},
        {"1kiB", 1024},
        {"2MB", 2'000'000},
        {"3G", 3'000'000'000},
        {"1GiB", 1 << 30},
        {"1T", 1'000'000'000'000},
        {"1TiB", std::uint64_t{1} << 40},
        {"7B", 7},
        {"1.005M", 1'005'000},
        {"0.7M", 700'000},
        {"4.35k", 4350},
        {"1.1G", 1'100'000'000},
    };
    for (const size_example& one : examples) {
        const auto read = parse_size(one.text);
        ASSERT_TRUE(read.has_value()) << one.text << ": " << read.error().sentence;
        EXPECT_EQ(*read, one.value) << one.text;
    }
}

TEST(sizes, plain_digits_are_exact_to_the_last_of_64_bits) {
    EXPECT_EQ(parse_size("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(parse_size("9007199254740993"), 9007199254740993u) << "which no double holds";
}

TEST(sizes, nonsense_is_refused_with_the_text_and_a_way_to_write_it) {
    for (const std::string_view text :
         {"",   "-1",  "nan", "inf",  "-inf", "infinity", "0x10", "10kk", "1.5",   "k",     "B",     " 1",
          "1 ", "1 k", "+1",  "1e-3", "1,5",  "12a",      "1e",   "--5",  "1.5.5", "10kib", "1e400", "10%"}) {
        const auto refused = parse_size(text);
        ASSERT_FALSE(refused.has_value()) << text << " became " << *refused;
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
        EXPECT_NE(refused.error().sentence.find("'" + std::string(text) + "'"), std::string::npos)
            << refused.error().sentence;
        EXPECT_NE(refused.error().sentence.find("write it like"), std::string::npos) << refused.error().sentence;
    }
}

TEST(sizes, what_does_not_fit_is_too_large) {
    for (const std::string_view text :
         {"18446744073709551616", "1e30", "99999999999T", "99999999999999999999k", "1e19"}) {
        const auto refused = parse_size(text);
        ASSERT_FALSE(refused.has_value()) << text << " became " << *refused;
        EXPECT_NE(refused.error().sentence.find("too large"), std::string::npos) << refused.error().sentence;
    }
}

TEST(rates, are_read_as_decimals_percentages_and_fractions) {
    EXPECT_EQ(parse_rate("0.001"), 0.001);
    EXPECT_EQ(parse_rate("1e-6"), 1e-6);
    EXPECT_EQ(parse_rate("1e-300"), 1e-300);
    EXPECT_EQ(parse_rate("5%"), 0.05);
    EXPECT_EQ(parse_rate("0.1%"), 0.1 / 100);
    EXPECT_EQ(parse_rate("1/1000"), 0.001);
    EXPECT_EQ(parse_rate("1"), 1);
    EXPECT_EQ(parse_rate("0"), 0);
    EXPECT_EQ(parse_rate("100%"), 1);
}

TEST(rates, nonsense_is_refused_with_the_text) {
    for (const std::string_view text : {"", "%", "1/0", "1/", "/2", "1/2/3", "-0.1", "nan", "inf", "1/nan", "1/inf",
                                        "150%", "2", "3/2", "1/-5", "0.1 %", "5%%", "0x1", "one"}) {
        const auto refused = parse_rate(text);
        ASSERT_FALSE(refused.has_value()) << text << " became " << *refused;
        EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
        EXPECT_NE(refused.error().sentence.find("'" + std::string(text) + "'"), std::string::npos)
            << refused.error().sentence;
    }
}

TEST(numbers, are_finite_and_not_negative) {
    EXPECT_EQ(parse_number("2"), 2);
    EXPECT_EQ(parse_number("0.5"), 0.5);
    for (const std::string_view text : {"", "-1", "nan", "inf", "2x", "1e999"}) {
        EXPECT_FALSE(parse_number(text).has_value()) << text;
    }
}

} // namespace
} // namespace everbloom
