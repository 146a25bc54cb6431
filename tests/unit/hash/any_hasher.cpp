// The hash that is chosen at run time is the concrete one, key by key and in batches.
#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/hash/integer.hpp>
#include <everbloom/hash/murmur3.hpp>
#include <everbloom/hash/siphash.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace everbloom {
namespace {

template <class Concrete>
class any_hasher_of : public ::testing::Test {};

using concrete_hashers = ::testing::Types<siphash_hasher, xxh3_hasher, murmur3_hasher, integer_hasher>;
TYPED_TEST_SUITE(any_hasher_of, concrete_hashers);

TYPED_TEST(any_hasher_of, equals_the_concrete_hash) {
    const hash_key key = hash_key::from_seed(20);
    const TypeParam concrete(key);
    const any_hasher chosen(concrete.id(), key);
    EXPECT_EQ(chosen.id(), concrete.id());
    EXPECT_EQ(chosen.key(), key);
    std::vector<std::string> keys;
    for (std::size_t bytes = 0; bytes < 300; ++bytes) keys.emplace_back(bytes, static_cast<char>(bytes));
    for (const std::string& one : keys) {
        EXPECT_EQ(chosen(std::string_view(one)), concrete(key_bytes(std::string_view(one)))) << one.size() << " bytes";
    }
}

TYPED_TEST(any_hasher_of, a_batch_equals_key_by_key) {
    const any_hasher chosen(TypeParam(hash_key{}).id(), hash_key::from_seed(21));
    for (const std::size_t count : {0, 1, 2, 255, 256, 257}) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) texts.push_back("key " + std::to_string(i));
        const std::vector<std::string_view> keys(texts.begin(), texts.end());
        std::vector<digest> digests(count);
        chosen(keys, digests);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(digests[i], chosen(keys[i]));
    }
}

// Batches may hash several keys side by side, which must not matter whatever lengths meet.
TYPED_TEST(any_hasher_of, a_batch_of_unequal_lengths_equals_key_by_key) {
    const any_hasher chosen(TypeParam(hash_key{}).id(), hash_key::from_seed(22));
    std::vector<std::string> texts;
    std::uint64_t state = 1;
    for (const std::size_t longest : {1, 8, 24, 40, 70, 600}) {
        for (std::size_t i = 0; i < 400; ++i) {
            state = state * 6364136223846793005 + 1442695040888963407;
            texts.emplace_back((state >> 33) % (longest + 1), static_cast<char>(state >> 56));
        }
    }
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    std::vector<digest> digests(keys.size());
    chosen(keys, digests);
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(digests[i], chosen(keys[i])) << i;
}

// Several numbers at a time: every carry, and nothing behind the last one.
TYPED_TEST(any_hasher_of, batches_of_any_size_equal_number_by_number) {
    const any_hasher chosen(TypeParam(hash_key{}).id(), hash_key::from_seed(24));
    std::uint64_t state = 1;
    for (std::size_t count = 0; count <= 40; ++count) {
        std::vector<std::uint64_t> numbers;
        for (std::size_t i = 0; i < count; ++i) {
            state = state * 6364136223846793005 + 1442695040888963407;
            const std::uint64_t extremes[] = {0, ~std::uint64_t{0}, 0xffffffff, 0xffffffff00000000};
            numbers.push_back(state >> 60 == 0 ? extremes[(state >> 58) % 4] : state ^ (state >> 29));
        }
        const digest untouched{7, 8};
        std::vector<digest> digests(count + 1, untouched);
        chosen(numbers, std::span(digests).first(count));
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(digests[i], chosen(numbers[i])) << i << " of " << count;
        ASSERT_EQ(digests[count], untouched);
    }
}

TYPED_TEST(any_hasher_of, a_batch_of_numbers_equals_number_by_number) {
    const any_hasher chosen(TypeParam(hash_key{}).id(), hash_key::from_seed(23));
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 103; ++i) numbers.push_back(i * 0x9e3779b97f4a7c15);
    std::vector<digest> digests(numbers.size());
    chosen(numbers, digests);
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(digests[i], chosen(numbers[i])) << i;
}

TEST(any_hasher, is_equal_only_with_the_same_hash_and_key) {
    const any_hasher one(hash_id::xxh3, hash_key::from_seed(1));
    EXPECT_EQ(one, any_hasher(hash_id::xxh3, hash_key::from_seed(1)));
    EXPECT_NE(one, any_hasher(hash_id::xxh3, hash_key::from_seed(2)));
    EXPECT_NE(one, any_hasher(hash_id::murmur3, hash_key::from_seed(1)));
}

TEST(any_hasher, every_known_hash_has_a_name_that_leads_back_to_it) {
    for (const hash_id id : known_hashes) {
        EXPECT_EQ(hash_named(name_of(id)), id);
        EXPECT_EQ(any_hasher(id, {}).id(), id);
    }
    EXPECT_EQ(hash_named("md5"), std::nullopt);
    EXPECT_EQ(hash_named(""), std::nullopt);
}

TEST(key_bytes, are_the_same_bytes_however_they_are_held) {
    const xxh3_hasher hash;
    const std::string with_zero("a\0b", 3);
    EXPECT_EQ(hash(std::string_view(with_zero)), hash(std::as_bytes(std::span(with_zero))));
    EXPECT_NE(hash(std::string_view(with_zero)), hash("a"));
}

} // namespace
} // namespace everbloom
