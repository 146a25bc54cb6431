// MurmurHash3 x64 128 against values found in several independent implementations and worked out by hand-written code once more.
#include <everbloom/hash/murmur3.hpp>

#include <gtest/gtest.h>

#include <string>

namespace everbloom {
namespace {

TEST(murmur3, gives_the_widely_published_vectors) {
    struct vector {
        std::string_view key;
        std::uint32_t seed;
        digest expected;
    };
    constexpr vector vectors[] = {
        {"", 0, {0, 0}},
        {"", 1, {0x4610abe56eff5cb5, 0x51622daa78f83583}},
        {"hello", 0, {0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19}},
        {"hello", 42, {0xc4b8b3c960af6f08, 0x2334b875b0efbc7a}},
        {"hello w", 3, {0x2ea59f466f6bed8c, 0xc610990acc428a17}},
        {"hello wo", 4, {0x79f6305a386c572c, 0x46305aed3483b94e}},
        {"hello wor", 5, {0xc2219d213ec1f1b5, 0xa1d8e2e0a52785bd}},
        {"12345678901234567890123456789012", 0, {0xfb942466dfc9d856, 0x383859a6263746cf}},
        {"The quick brown fox jumps over the lazy dog", 0, {0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347}},
        {"The quick brown fox jumps over the lazy dog", 0x9747b28c, {0x738a7f3bd2633121, 0xf94573727ec016e5}},
    };
    for (const vector& one : vectors) {
        EXPECT_EQ(murmur3_hasher(hash_key::from_seed(one.seed))(one.key), one.expected)
            << '"' << one.key << "\", seed " << one.seed;
    }
}

TEST(murmur3, uses_the_first_32_bits_of_the_seed_only) {
    EXPECT_EQ(murmur3_hasher(hash_key::from_seed(0x500000007))("a"), murmur3_hasher(hash_key::from_seed(7))("a"));
}

} // namespace
} // namespace everbloom
