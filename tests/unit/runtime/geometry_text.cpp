// Parameters as text: short, and read again as the same number.
#include <everbloom/runtime/geometry_text.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

TEST(geometry_text, a_whole_number_has_no_separators) {
    EXPECT_EQ(number_text(0, field_form::whole), "0");
    EXPECT_EQ(number_text(1'234'567, field_form::whole), "1234567");
}

TEST(geometry_text, millionths_are_shown_in_their_shortest_form) {
    EXPECT_EQ(number_text(0, field_form::millionths), "0");
    EXPECT_EQ(number_text(1, field_form::millionths), "1e-06");
    EXPECT_EQ(number_text(99, field_form::millionths), "9.9e-05");
    EXPECT_EQ(number_text(100, field_form::millionths), "0.0001");
    EXPECT_EQ(number_text(200'000, field_form::millionths), "0.2");
    EXPECT_EQ(number_text(1'000'000, field_form::millionths), "1");
    EXPECT_EQ(number_text(12'345'678, field_form::millionths), "12.345678");
    for (const std::uint64_t value : {1U, 99U, 100U, 333'333U, 999'999U, 12'345'678U}) {
        EXPECT_EQ(parse_millionths(number_text(value, field_form::millionths)).value(), value);
    }
}

TEST(geometry_text, a_choice_is_its_word) {
    EXPECT_EQ(value_text({.name = "probe", .value = 1, .word = "double"}), "double");
    EXPECT_EQ(value_text({.name = "hashes", .value = 7}), "7");
}

} // namespace
} // namespace everbloom
