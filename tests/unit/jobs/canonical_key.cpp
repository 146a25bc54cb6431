// The canonical spelling of keys: from text, and from the bytes of a key.
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/key_decoder.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

TEST(canonical_key, the_spelling_of_bytes_reads_back_as_the_same_bytes) {
    using namespace std::string_literals;
    const std::pair<key_type, std::string> keys[]{
        {key_type::text, "any \xff\n bytes"}, {key_type::u64, "\x2a\0\0\0\0\0\0\0"s},
        {key_type::ip, "\x0a\0\0\x01"s},      {key_type::ip, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"s},
        {key_type::hex, "\x00\xff\x10"s},
    };
    const std::string spellings[]{"any \xff\n bytes", "42", "10.0.0.1", "::1", "00ff10"};
    for (std::size_t i = 0; i < std::size(keys); ++i) {
        const auto& [type, bytes] = keys[i];
        const auto spelled = spell_key(type, bytes);
        ASSERT_TRUE(spelled);
        EXPECT_EQ(*spelled, spellings[i]);
        EXPECT_EQ(*key_from_text(type, *spelled), bytes);
        EXPECT_EQ(canonical_key(type)(*spelled), spelled);
    }
}

TEST(canonical_key, bytes_of_another_length_are_no_key) {
    EXPECT_FALSE(spell_key(key_type::u64, "1234567"));
    EXPECT_FALSE(spell_key(key_type::ip, "12345"));
    EXPECT_FALSE(spell_key(key_type::ip, ""));
    EXPECT_TRUE(spell_key(key_type::hex, ""));
}

} // namespace
} // namespace everbloom
