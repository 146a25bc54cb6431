// The elastic filter by example: the figures of the paper, removals, copies, verified queries.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;
using fingerprints = std::vector<std::uint64_t>;

/// One hash of six bits and four buckets, as in the figures; nearly all bits may be set, so that it does not grow by itself.
elastic_spec spec_of_the_figures() {
    elastic_spec spec;
    spec.initial_bits = 4;
    spec.hashes = 1;
    spec.word_bits = 6;
    spec.threshold = 990'000;
    return spec.started();
}

/// A key with this hash.
digest key_of(std::uint64_t hash) { return {backwards(hash), 0}; }

std::vector<bool> bits_of(const elastic_filter& filter) {
    std::vector<bool> made;
    for (std::uint64_t i = 0; i < filter.spec().bits; ++i) made.push_back(filter.bit(i));
    return made;
}

TEST(elastic, figure_1_of_the_paper) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    EXPECT_EQ(filter.insert(key_of(0b011110)), insert_outcome::inserted);
    EXPECT_EQ(bits_of(filter), (std::vector<bool>{false, false, true, false}));
    EXPECT_EQ(filter.bucket(0b10), (fingerprints{0b0111}));
    for (const std::uint64_t other : {0b00, 0b01, 0b11}) EXPECT_TRUE(filter.bucket(other).empty());
}

TEST(elastic, figure_2_of_the_paper) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    const std::uint64_t m = 4;
    filter.insert(key_of(0b011110));          // e of figure 1
    filter.insert(key_of(0b0101 * m + 0b00)); // its lowest bit is 1: it will move
    filter.insert(key_of(0b1000 * m + 0b00)); // this one will stay
    filter.insert(key_of(0b0110 * m + 0b01));
    ASSERT_EQ(filter.bucket(0), (fingerprints{0b1000, 0b0101})); // in the order of their lowest bits
    must(filter.grow());
    EXPECT_EQ(filter.spec().bits, 8u);
    EXPECT_EQ(filter.bucket(0), (fingerprints{0b100}));
    EXPECT_EQ(filter.bucket(0 + m), (fingerprints{0b010}));
    EXPECT_EQ(filter.bucket(1), (fingerprints{0b011}));
    EXPECT_TRUE(filter.bucket(2).empty());
    EXPECT_EQ(filter.bucket(2 + m), (fingerprints{0b011}));
    EXPECT_EQ(bits_of(filter), (std::vector<bool>{true, true, false, false, true, false, true, false}));

    EXPECT_EQ(filter.erase(key_of(0b011110)), erase_outcome::removed); // fingerprint 011 at index 110
    EXPECT_TRUE(filter.bucket(0b110).empty());
    EXPECT_FALSE(filter.bit(0b110));
    EXPECT_TRUE(filter.bit(0b100));
}

TEST(elastic, compression_is_the_way_back) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    for (const std::uint64_t hash : {0b011110, 0b010100, 0b100000}) filter.insert(key_of(hash));
    const auto before = snapshot_of(filter);
    for (int i = 0; i < 4; ++i) must(filter.grow());
    EXPECT_EQ(filter.spec().bits, 64u);
    EXPECT_EQ(filter.bucket(0b011110), (fingerprints{0})); // nothing is left of the fingerprint but that it is there
    const auto refused = filter.grow();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    for (int i = 0; i < 4; ++i) must(filter.shrink());
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(elastic, copies_are_counted_and_leave_one_by_one) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    EXPECT_EQ(filter.insert(key_of(9)), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key_of(9)), insert_outcome::inserted_counted);
    EXPECT_EQ(filter.estimate_count(key_of(9)), 2u);
    EXPECT_EQ(filter.spec().items, 2u);
    EXPECT_EQ(filter.erase(key_of(9)), erase_outcome::removed_still_positive);
    EXPECT_EQ(filter.erase(key_of(9)), erase_outcome::removed);
    EXPECT_EQ(filter.erase(key_of(9)), erase_outcome::not_present);
    EXPECT_EQ(filter.parts().weighted_ones(), 0u);
}

TEST(elastic, an_absent_key_in_a_members_bucket_is_neither_confirmed_nor_removed) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    filter.insert(key_of(0b011110));
    const digest absent = key_of(0b111110); // the same index, another fingerprint
    EXPECT_TRUE(filter.may_contain(absent));
    EXPECT_FALSE(filter.confirm(absent));
    EXPECT_EQ(filter.estimate_count(absent), 0u);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.can_erase(absent), erase_outcome::not_present);
    EXPECT_EQ(filter.erase(absent), erase_outcome::not_present);
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(elastic, a_key_that_shares_all_its_bits_leaves_and_still_answers_maybe) {
    auto filter = must(make<elastic_filter>(spec_of_the_figures()));
    filter.insert(key_of(0b011110));
    filter.insert(key_of(0b111110));
    EXPECT_EQ(filter.can_erase(key_of(0b011110)), erase_outcome::removed_still_positive);
    EXPECT_EQ(filter.erase(key_of(0b011110)), erase_outcome::removed_still_positive);
    EXPECT_TRUE(filter.may_contain(key_of(0b011110)));
    EXPECT_FALSE(filter.confirm(key_of(0b011110)));
    EXPECT_EQ(filter.erase(key_of(0b111110)), erase_outcome::removed);
}

// With six bits a hash is often that of another of the same key; a key must not take itself for another.
TEST(elastic, equal_hashes_of_one_key_count_once) {
    elastic_spec spec = spec_of_the_figures();
    spec.hashes = 20;
    spec.initial_bits = 64;
    std::uint64_t with_repetitions = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        auto filter = must(make<elastic_filter>(spec.started()));
        const digest key = key_family(1)[i];
        ASSERT_EQ(filter.insert(key), insert_outcome::inserted);
        with_repetitions += filter.parts().copies() < 20 ? 1 : 0;
        ASSERT_EQ(filter.parts().copies(), filter.parts().weighted_ones());
        ASSERT_EQ(filter.spec().items, 1u);
        ASSERT_EQ(filter.estimate_count(key), 1u);
        ASSERT_EQ(filter.erase(key), erase_outcome::removed);
        ASSERT_EQ(filter.parts().copies(), 0u);
    }
    EXPECT_GT(with_repetitions, 150u);
}

TEST(elastic, verified_queries_are_right_where_the_bits_are_wrong) {
    elastic_spec spec;
    spec.initial_bits = 4096;
    spec.hashes = 2;
    spec.threshold = 600'000;
    auto filter = must(make<elastic_filter>(spec.started()));
    for (std::uint64_t i = 0; i < 1500; ++i) filter.insert(key_family(2)[i]);
    std::uint64_t mistaken = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        ASSERT_TRUE(i >= 1500 || filter.confirm(key_family(2)[i]));
        mistaken += filter.may_contain(key_family(3)[i]) ? 1 : 0;
        ASSERT_FALSE(filter.confirm(key_family(3)[i]));
    }
    EXPECT_GT(mistaken, 300u);
}

} // namespace
} // namespace everbloom
