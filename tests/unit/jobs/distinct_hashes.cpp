// Distinct hashes: against an exact set of the same 60 bits, while they grow, where they crowd, and against the filter that does the same.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/jobs/distinct_hashes.hpp>
#include <everbloom/jobs/first_occurrences.hpp>

#include <gtest/gtest.h>

#include <set>
#include <unordered_set>
#include <vector>

namespace everbloom {
namespace {

using support::must;

std::vector<std::uint8_t> added(distinct_hashes& hashes, const std::vector<digest>& keys) {
    std::vector<std::uint8_t> is_new(keys.size(), 7);
    must(hashes.add(keys, is_new));
    return is_new;
}

TEST(distinct_hashes, are_new_once_within_and_across_calls) {
    auto hashes = must(distinct_hashes::make(10));
    const digest a{1ULL << 60, 1}, b{2ULL << 60, 1}, c{3ULL << 60, 1};
    EXPECT_EQ(added(hashes, {}), (std::vector<std::uint8_t>{}));
    EXPECT_EQ(added(hashes, {a, b, a}), (std::vector<std::uint8_t>{1, 1, 0}));
    EXPECT_EQ(added(hashes, {c, b, c, a}), (std::vector<std::uint8_t>{1, 0, 0, 0}));
    EXPECT_EQ(hashes.count(), 3U);
}

TEST(distinct_hashes, are_the_first_60_bits_and_may_be_zero) {
    auto hashes = must(distinct_hashes::make(10));
    EXPECT_EQ(added(hashes, {{0, 1}, {15, 2}, {16, 3}, {31, 4}}), (std::vector<std::uint8_t>{1, 0, 1, 0}));
}

TEST(distinct_hashes, are_those_of_an_exact_set_while_they_grow) {
    for (const std::uint64_t capacity : {1U, 3'000U, 1'000'000U}) {
        auto hashes = must(distinct_hashes::make(capacity));
        support::dice random(capacity);
        std::unordered_set<std::uint64_t> exact;
        std::vector<digest> history;
        std::vector<digest> keys;
        while (exact.size() < 150'000) {
            keys.clear();
            for (std::uint64_t left = random.word() % 600; left > 0; --left) {
                const bool is_known = !history.empty() && random.word() % 3 == 0;
                keys.push_back(is_known ? history[random.word() % history.size()] : digest{random.word(), 0});
                history.push_back(keys.back());
            }
            const auto is_new = added(hashes, keys);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                ASSERT_EQ(is_new[i] == 1, exact.insert(keys[i].low >> 4).second) << exact.size();
            }
            if (exact.size() > 30'000 && capacity < 10'000) {
                ASSERT_LT(hashes.bytes(), 11 * exact.size()) << exact.size();
            }
        }
        EXPECT_EQ(hashes.count(), exact.size());
        EXPECT_EQ(hashes.expansions() > 0, capacity < 10'000);
    }
}

// Equal first bits: all of them belong into one line, and fill those behind it; at the end of a part, those at its beginning.
TEST(distinct_hashes, may_crowd_in_one_place) {
    for (const std::uint64_t first : {0ULL, 0x00ffffff00000000ULL, 0x7fffffff00000000ULL, 0xffffffff00000000ULL}) {
        auto hashes = must(distinct_hashes::make(1));
        std::vector<digest> keys;
        for (std::uint64_t i = 0; i < 2'000; ++i) keys.push_back({first | i * 0x10001ULL % 4'001 << 4, i});
        std::set<std::uint64_t> exact;
        const auto is_new = added(hashes, keys);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(is_new[i] == 1, exact.insert(keys[i].low).second) << i;
        }
        for (const std::uint8_t again : added(hashes, keys)) ASSERT_EQ(again, 0);
        EXPECT_EQ(hashes.count(), exact.size());
    }
}

// `uniq` has used the filter before, and still does for windows and states: the same lines must come out.
TEST(distinct_hashes, give_the_answers_of_first_occurrences) {
    auto hashes = must(distinct_hashes::make(100));
    auto filter = must(first_occurrences::make(100));
    support::dice random(5);
    std::vector<digest> keys(40'000);
    for (digest& one : keys) one.low = random.below(20'000) * 0x9e3779b97f4a7c15;
    std::vector<std::uint8_t> expected(keys.size());
    must(filter.classify(keys, expected));
    EXPECT_EQ(added(hashes, keys), expected);
    EXPECT_EQ(hashes.count(), filter.firsts());
}

TEST(distinct_hashes, of_more_keys_than_memory_are_refused) {
    const auto made = distinct_hashes::make(1'000'000'000'000'000'000);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().sentence.find("items are more than"), std::string::npos);
}

} // namespace
} // namespace everbloom
