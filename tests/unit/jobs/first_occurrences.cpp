// First occurrences: each key once, with a window again after that many others.
#include "support/must.hpp"

#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/jobs/first_occurrences.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

using support::must;

std::vector<std::uint8_t> firsts_of(first_occurrences& seen, const std::vector<std::uint64_t>& keys) {
    std::vector<digest> digests(keys.size());
    any_hasher(hash_id::siphash, hash_key::from_seed(1))(keys, digests);
    std::vector<std::uint8_t> is_first(keys.size(), 7);
    must(seen.classify(digests, is_first));
    return is_first;
}

TEST(first_occurrences, are_told_from_repetitions_within_and_across_calls) {
    auto seen = must(first_occurrences::make(10));
    EXPECT_EQ(firsts_of(seen, {1, 2, 1, 3, 3}), (std::vector<std::uint8_t>{1, 1, 0, 1, 0}));
    EXPECT_EQ(firsts_of(seen, {3, 4, 1}), (std::vector<std::uint8_t>{0, 1, 0}));
    EXPECT_EQ(seen.keys(), 8U);
    EXPECT_EQ(seen.firsts(), 4U);
}

TEST(first_occurrences, are_exact_while_the_filter_grows) {
    auto seen = must(first_occurrences::make(1));
    std::vector<std::uint64_t> keys(30'000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * i % 20'011;
    const auto is_first = firsts_of(seen, keys);
    std::set<std::uint64_t> exact;
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(is_first[i] == 1, exact.insert(keys[i]).second) << i;
    EXPECT_EQ(seen.firsts(), exact.size());
    EXPECT_TRUE(seen.filter().growth());
}

TEST(first_occurrences, are_forgotten_beyond_the_window) {
    auto seen = must(first_occurrences::make(10, 2));
    EXPECT_EQ(firsts_of(seen, {1, 2, 1, 3, 1, 2, 3}), (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1, 1}));
}

} // namespace
} // namespace everbloom
