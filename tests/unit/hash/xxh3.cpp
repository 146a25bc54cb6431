// XXH3 against the sanity vectors that xxHash publishes (tests/sanity_test_vectors.h) and against what `xxhsum -H2` prints.
#include "support/dice.hpp"

#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace everbloom {
namespace {

constexpr std::uint64_t prime32 = 2654435761;
constexpr std::uint64_t prime64 = 0x9e3779b185ebca8d;

/// The bytes that the published vectors are about.
std::string sanity_bytes(std::size_t bytes) {
    std::string made;
    std::uint64_t generator = prime32;
    for (std::size_t i = 0; i < bytes; ++i, generator *= prime64) made += static_cast<char>(generator >> 56);
    return made;
}

struct vector {
    std::size_t bytes;
    std::uint64_t seed;
    digest expected;
};

// One or more for every code path of the algorithm: 0, 1-3, 4-8, 9-16, 17-128, 129-240, one block, several blocks.
constexpr vector published[] = {
    {0, 0, {0x6001c324468d497f, 0x99aa06d3014798d8}},        {0, prime32, {0x5444f7869c671ab0, 0x92220ae55e14ab50}},
    {0, prime64, {0xa986dfc5d7605bfe, 0x00feaa732a3ce25e}},  {1, 0, {0xc44bdff4074eecdb, 0xa6cd5e9392000f6a}},
    {1, prime32, {0xb53d5557e7f76f8d, 0x89b99554ba22467c}},  {3, prime32, {0xf173d14dad53a5dc, 0x48f82c2fe0abd468}},
    {6, 0, {0x3e7039bdda43cfc6, 0x082afe0b8162d12a}},        {6, prime32, {0x269d8f70be98856e, 0x5a865b5389abd2b1}},
    {8, prime32, {0x5f462f3de2e8b940, 0xf959013232655ff1}},  {12, 0, {0x061a192713f69ad9, 0x6e3efd8fc7802b18}},
    {12, prime32, {0x9be9f9a67f3c7dfb, 0xd7e09d518a3405d3}}, {24, 0, {0x1e7044d28b1b901d, 0x0ce966e4678d3761}},
    {24, prime32, {0xd7304c54ebad40a9, 0x3162026714a6a243}}, {48, prime32, {0x7ba3c3e453a1934e, 0x163adde36c072295}},
    {81, prime32, {0x703fbb3d7a5f755c, 0x2724ec7adc750fb6}}, {195, 0, {0x3fb593c086a66075, 0x7729543a26b207ee}},
    {403, 0, {0xcdeb804d65c6dea4, 0x1b6de21e332dd73d}},      {512, 0, {0x617e49599013cb6b, 0x18d2d110dcc9bca1}},
    {2048, 0, {0xdd59e2c3a5f038e0, 0xf736557fd47073a5}},     {2240, 0, {0x6e73a90539cf2948, 0xccb134fbfa7ce49d}},
};

TEST(xxh3, gives_the_published_128_bit_vectors) {
    for (const vector& one : published) {
        const digest made = xxh3_hasher(hash_key::from_seed(one.seed))(std::string_view(sanity_bytes(one.bytes)));
        EXPECT_EQ(made, one.expected) << one.bytes << " bytes, seed " << one.seed;
    }
}

TEST(xxh3, agrees_with_xxhsum_on_text) {
    const xxh3_hasher hash;
    EXPECT_EQ(hash("abc"), (digest{0x78af5f94892f3950, 0x06b05ab6733a6185}));
    EXPECT_EQ(hash("The quick brown fox jumps over the lazy dog"), (digest{0x24a1cc2e3a8a7651, 0xddd650205ca3e7fa}));
}

// The short code for numbers is written anew; the general code is the reference.
TEST(xxh3, of_a_number_is_that_of_its_eight_bytes) {
    support::dice random(8);
    std::vector<std::uint64_t> words{0, 1, 0xff, 0xff00, 0xffffffff, 0x100000000, ~std::uint64_t{0}};
    for (unsigned bit = 0; bit < 64; ++bit) words.push_back(std::uint64_t{1} << bit);
    for (int i = 0; i < 100; ++i) words.push_back(random.word());
    for (const std::uint64_t seed : words) {
        const xxh3_hasher hash(hash_key::from_seed(seed));
        const any_hasher chosen(hash_id::xxh3, hash_key::from_seed(seed));
        for (const std::uint64_t number : words) {
            ASSERT_EQ(hash(number), hash(key_bytes(number))) << number << ", seed " << seed;
            ASSERT_EQ(chosen(number), hash(key_bytes(number))) << number << ", seed " << seed;
            ASSERT_EQ(chosen.of_xxh3(number), hash(key_bytes(number))) << number << ", seed " << seed;
        }
    }
    EXPECT_EQ(xxh3_hasher()(std::uint64_t{5}), xxh3_hasher(hash_key{})(std::uint64_t{5}));
}

// So is the code for short keys, one or many.
TEST(xxh3, of_a_batch_is_that_of_its_keys) {
    support::dice random(9);
    std::string bytes;
    for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(random.word());
    std::vector<std::string_view> keys;
    for (std::size_t length = 0; length <= 40; ++length) {
        for (std::size_t at = 0; at < 20; ++at)
            keys.push_back(std::string_view(bytes).substr(97 * at + length, length));
        keys.push_back(std::string_view(bytes).substr(17 * length, 12));
    }
    const std::string zeros(16, '\0');
    const std::string ones(16, '\xff');
    for (std::size_t length = 0; length <= 16; ++length) {
        keys.push_back(std::string_view(zeros).substr(0, length));
        keys.push_back(std::string_view(ones).substr(0, length));
    }
    std::vector<std::uint64_t> seeds{0, 1, 0xffffffff, 0x100000000, ~std::uint64_t{0}, prime32, prime64};
    for (int i = 0; i < 50; ++i) seeds.push_back(random.word());
    std::vector<digest> digests(keys.size());
    for (const std::uint64_t seed : seeds) {
        const xxh3_hasher hash(hash_key::from_seed(seed));
        hash(keys, digests);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(digests[i], hash(key_bytes(keys[i]))) << keys[i].size() << " bytes, seed " << seed;
        }
        std::fill(digests.begin(), digests.end(), digest{});
        const any_hasher chosen(hash_id::xxh3, hash_key::from_seed(seed));
        chosen(keys, digests);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(digests[i], hash(key_bytes(keys[i]))) << i;
            ASSERT_EQ(chosen(keys[i]), digests[i]) << keys[i].size() << " bytes, seed " << seed;
        }
    }
}

TEST(xxh3, only_the_seed_part_of_the_key_counts) {
    hash_key key = hash_key::from_seed(7);
    key.bytes[15] = 1;
    EXPECT_EQ(xxh3_hasher(key)("a"), xxh3_hasher(hash_key::from_seed(7))("a"));
    EXPECT_NE(xxh3_hasher(hash_key::from_seed(8))("a"), xxh3_hasher(hash_key::from_seed(7))("a"));
}

TEST(checksum, is_the_published_64_bit_xxh3) {
    EXPECT_EQ(checksum(nullptr, 0), 0x2d06800538d394c2u);
    EXPECT_EQ(checksum(sanity_bytes(1).data(), 1), 0xc44bdff4074eecdbu);
    EXPECT_EQ(checksum(sanity_bytes(512).data(), 512), 0x617e49599013cb6bu);
    EXPECT_EQ(checksum(sanity_bytes(2240).data(), 2240), 0x6e73a90539cf2948u);
}

} // namespace
} // namespace everbloom
