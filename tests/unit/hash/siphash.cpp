// SipHash-2-4 with 128 bits against the table `vectors_sip128` of its reference implementation: key 00 01 .. 0f, message 00 01 ..
// The lines below were worked out a second time with OpenSSL's SipHash.
#include <everbloom/hash/siphash.hpp>

#include <gtest/gtest.h>
#include <sodium/crypto_shorthash_siphash24.h>

#include <array>
#include <cstring>
#include <string>

namespace everbloom {
namespace {

hash_key counting_key() {
    hash_key key;
    for (std::uint8_t i = 0; i < 16; ++i) key.bytes[i] = i;
    return key;
}

std::string counting_message(std::size_t bytes) {
    std::string message;
    for (std::size_t i = 0; i < bytes; ++i) message += static_cast<char>(i);
    return message;
}

/// The digest as the sixteen bytes that the reference prints: low half first, little-endian.
std::string in_hex(digest made) {
    std::string text;
    for (const std::uint64_t half : {made.low, made.high}) {
        for (unsigned i = 0; i < 8; ++i) {
            const unsigned byte = (half >> (8 * i)) & 0xff;
            text += "0123456789abcdef"[byte / 16];
            text += "0123456789abcdef"[byte % 16];
        }
    }
    return text;
}

TEST(siphash, gives_the_reference_vectors) {
    struct vector {
        std::size_t bytes;
        std::string_view expected;
    };
    constexpr vector vectors[] = {
        {0, "a3817f04ba25a8e66df67214c7550293"},  {1, "da87c1d86b99af44347659119b22fc45"},
        {2, "8177228da4a45dc7fca38bdef60affe4"},  {3, "9c70b60c5267a94e5f33b6b02985ed51"},
        {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},  {8, "3b62a9ba6258f5610f83e264f31497b4"},
        {15, "5493e99933b0a8117e08ec0f97cfc3d9"}, {16, "6ee2a4ca67b054bbfd3315bf85230577"},
        {31, "2939b0183223fafc1723de4f52c43d35"}, {63, "5150d1772f50834a503e069a973fbd7c"},
    };
    const siphash_hasher hash(counting_key());
    for (const vector& one : vectors) {
        EXPECT_EQ(in_hex(hash(std::string_view(counting_message(one.bytes)))), one.expected) << one.bytes << " bytes";
    }
}

TEST(siphash, is_that_of_libsodium_for_every_length) {
    const siphash_hasher hash(counting_key());
    for (std::size_t bytes = 0; bytes < 600; ++bytes) {
        const std::string message = counting_message(bytes);
        std::array<unsigned char, crypto_shorthash_siphashx24_BYTES> expected{};
        crypto_shorthash_siphashx24(expected.data(), reinterpret_cast<const unsigned char*>(message.data()), bytes,
                                    hash.key().bytes.data());
        digest theirs;
        std::memcpy(&theirs.low, expected.data(), 8);
        std::memcpy(&theirs.high, expected.data() + 8, 8);
        EXPECT_EQ(hash(std::string_view(message)), theirs) << bytes << " bytes";
    }
}

TEST(hash_key, is_drawn_at_random) {
    const auto one = hash_key::random();
    const auto other = hash_key::random();
    ASSERT_TRUE(one && other);
    EXPECT_NE(*one, *other);
}

TEST(siphash, every_byte_of_the_key_matters) {
    const digest plain = siphash_hasher(hash_key{})("a key");
    for (std::size_t i = 0; i < 16; ++i) {
        hash_key changed;
        changed.bytes[i] = 1;
        EXPECT_NE(siphash_hasher(changed)("a key"), plain) << "byte " << i;
    }
}

TEST(hash_key, a_seed_is_its_first_eight_bytes) {
    const hash_key key = hash_key::from_seed(0x0123456789abcdef);
    EXPECT_EQ(key.bytes[0], 0xef);
    EXPECT_EQ(key.bytes[7], 0x01);
    EXPECT_EQ(key.bytes[8], 0);
    EXPECT_EQ(key.seed(), 0x0123456789abcdefu);
}

} // namespace
} // namespace everbloom
