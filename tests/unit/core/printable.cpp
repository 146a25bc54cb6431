// Keys in messages: nothing that a terminal obeys.
#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace std::string_view_literals;

TEST(printable, leaves_text_as_it_is) {
    EXPECT_EQ(printable("anna"), "anna");
    EXPECT_EQ(printable("K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x8c\xb8"), "K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x8c\xb8");
    EXPECT_EQ(printable(""), "");
}

TEST(printable, escapes_control_characters_and_bytes_that_are_not_utf8) {
    EXPECT_EQ(printable("\x1b[31m\n\0\x7f"sv), "\\x1b[31m\\x0a\\x00\\x7f");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
}

TEST(printable, shortens_a_long_key) {
    const std::string sixty(60, 'x');
    EXPECT_EQ(printable(sixty), sixty);
    EXPECT_EQ(printable(std::string(100, 'x')), sixty + "... (40 bytes more)");
}

TEST(printable, knows_utf8) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("\xf4\x8f\xbf\xbf"));
    EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80")); // beyond the last character
    EXPECT_FALSE(is_utf8("\xc0\x80"));         // an overlong zero
    EXPECT_FALSE(is_utf8("a\xe2\x82"));
}

TEST(hex_digits, are_read_in_either_case_and_written_in_lower_case) {
    EXPECT_EQ(hex_value('0'), 0);
    EXPECT_EQ(hex_value('f'), 15);
    EXPECT_EQ(hex_value('F'), 15);
    EXPECT_EQ(hex_value('g'), -1);
    EXPECT_EQ(hex_value('/'), -1);
    std::string text = "0x";
    append_hex(text, 0xa0);
    append_hex(text, 0x0f);
    EXPECT_EQ(text, "0xa00f");
}

} // namespace
} // namespace everbloom
