// How a quotient filter grows and shrinks by itself: load, memory, limits, and the FPR beyond the plan.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"
#include "support/statistics.hpp"

#include <everbloom/model/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::rounds;
using support::snapshot_of;

quotient_filter planned_quotient(const workload& wanted, std::uint64_t planned_keys) {
    const quotient_spec preset{.buckets = 0, .remainder_bits = 0, .planned_keys = planned_keys};
    return must(make<quotient_filter>(must(quotient_model::plan(wanted, preset))));
}
double load_of(const quotient_filter& filter) {
    return static_cast<double>(filter.items()) / static_cast<double>(filter.spec().slots());
}
/// Keys from `begin` to `end`, in steps, and the last one.
void expect_members(const quotient_filter& filter, const std::vector<digest>& keys, std::size_t begin, std::size_t end,
                    std::size_t step) {
    for (std::size_t i = begin; i < end; i += step) ASSERT_TRUE(filter.may_contain(keys[i])) << i << " of " << end;
    ASSERT_TRUE(begin == end || filter.may_contain(keys[end - 1]));
}

TEST(quotient_growth, from_a_hundred_keys_to_many_and_back_loses_none_and_keeps_its_load) {
    auto filter = planned_quotient({100, 0.001}, 1 << 20);
    const std::uint64_t initial_lines = filter.spec().lines();
    const auto keys = key_family(1).first(rounds(200'000));
    std::size_t looked = 200;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i]))) << i;
        ASSERT_TRUE(i <= 1000 || load_of(filter) >= 0.9) << i << " keys, load " << load_of(filter);
        if (i < looked) continue;
        expect_members(filter, keys, 0, i + 1, 1 + looked / 2000);
        looked += looked / 3;
    }
    expect_members(filter, keys, 0, keys.size(), 1);
    EXPECT_EQ(filter.keys(), keys.size());
    const std::uint64_t most_words = filter.memory_words();
    EXPECT_LE(most_words, filter.spec().lines() * line_words * 21 / 20);

    looked = keys.size() / 3;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed) << i;
        if (i < looked) continue;
        const std::size_t left = keys.size() - i - 1;
        expect_members(filter, keys, i + 1, keys.size(), 1 + left / 1000);
        EXPECT_TRUE(left <= 1000 || load_of(filter) >= 0.6) << left << " keys, load " << load_of(filter);
        // Two steps more than the lines, and the addresses of units.
        EXPECT_LE(filter.memory_words(), (filter.spec().lines() * 17 / 16 + 12) * line_words);
        ASSERT_GE(filter.spec().lines(), initial_lines);
        looked += left / 3 + 1;
    }
    EXPECT_EQ(filter.keys(), 0u);
    EXPECT_LE(filter.spec().lines(), initial_lines + 2);
    EXPECT_LE(filter.memory_words() * 10, most_words);
}

TEST(quotient_growth, at_the_limit_keys_are_refused_and_none_is_lost) {
    auto spec = planned_quotient({1000, 0.001}, 1 << 20).spec();
    spec.most_lines = spec.lines() + 13;
    auto filter = must(make<quotient_filter>(spec));
    const key_family keys(2);
    std::uint64_t inside = 0;
    while (succeeded(filter.insert(keys[inside]))) ++inside;
    EXPECT_EQ(filter.spec().lines(), spec.most_lines);
    EXPECT_GT(load_of(filter), 0.97);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const auto before = snapshot_of(filter);
        const insert_outcome outcome = filter.insert(key_family(3)[i]);
        if (succeeded(outcome)) {
            EXPECT_EQ(filter.erase(key_family(3)[i]), erase_outcome::removed);
        } else {
            ++refused;
            EXPECT_EQ(outcome, insert_outcome::growth_refused);
            EXPECT_EQ(snapshot_of(filter), before);
        }
    }
    EXPECT_GT(refused, 0u);
    EXPECT_FALSE(filter.grow());
    EXPECT_EQ(filter.keys(), inside);
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
}

TEST(quotient_growth, one_key_a_million_times_needs_no_more_memory) {
    auto filter = planned_quotient({1000, 0.001}, 1 << 20);
    const auto others = key_family(4).first(900);
    for (const digest& key : others) ASSERT_TRUE(succeeded(filter.insert(key)));
    const std::uint64_t lines = filter.spec().lines();
    const std::vector<digest> many(1000, key_family(5)[0]);
    std::vector<insert_outcome> outcomes(many.size());
    std::vector<erase_outcome> removals(many.size());
    const std::uint64_t thousands = rounds(1000);
    for (std::uint64_t i = 0; i < thousands; ++i) {
        filter.insert(many, outcomes);
        for (const insert_outcome outcome : outcomes) ASSERT_TRUE(succeeded(outcome));
    }
    EXPECT_EQ(filter.spec().lines(), lines);
    EXPECT_EQ(filter.spec().copy_slots, quotient_spec::least_copy_slots);
    EXPECT_EQ(filter.estimate_count(many[0]), 1000 * thousands);
    EXPECT_EQ(filter.keys(), 1000 * thousands + others.size());
    for (std::uint64_t i = 0; i < thousands; ++i) {
        filter.erase(many, removals);
        for (const erase_outcome outcome : removals) ASSERT_EQ(outcome, erase_outcome::removed);
    }
    EXPECT_EQ(filter.estimate_count(many[0]), 0u);
    EXPECT_EQ(filter.spec().copy_slots, 0u);
    for (const digest& key : others) ASSERT_EQ(filter.estimate_count(key), 1u);
}

/// Hits of keys that were never added, at a moment when the filter has this many keys.
void expect_model_fpr(const quotient_filter& filter, std::uint64_t tries) {
    const key_family absent(7);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < tries; ++i) hits += filter.may_contain(absent[i]) ? 1 : 0;
    const double keys = static_cast<double>(filter.keys());
    EXPECT_TRUE(support::agrees_with_chance(hits, tries, quotient_model::fpr(filter.spec(), keys)));
    EXPECT_NEAR(quotient_model::fpr(filter.spec(), keys) / (2 * keys / filter.spec().fingerprints()), 1, 0.2);
}

TEST(quotient_growth, beyond_the_plan_keeps_the_members_and_the_fpr_doubles_with_the_keys) {
    // Planned for 4000 keys; the extensions are used up there, and the bytes give bits then.
    auto filter = planned_quotient({1000, 0.004}, 4000);
    const auto keys =
        key_family(6).first(std::min<std::uint64_t>(rounds(64'000), 256'000)); // 600,000 are too many for it
    std::size_t next = 4000;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i]))) << i;
        if (i + 1 != next) continue;
        expect_model_fpr(filter, 20'000);
        next *= 4;
    }
    expect_members(filter, keys, 0, keys.size(), 1);
    EXPECT_TRUE(keys.size() < 64'000 || filter.spec().level > filter.spec().extension_bits());
    for (const digest& key : keys) ASSERT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_EQ(filter.keys(), 0u);
}

TEST(quotient_growth, ends_when_no_bit_of_the_path_is_left) {
    quotient_spec spec;
    spec.rows = spec.initial_lines = 2;
    spec.remainder_bits = 8;
    auto filter = must(make<quotient_filter>(spec));
    EXPECT_EQ(spec.largest_lines(), 128u);
    const key_family keys(8);
    std::uint64_t inside = 0;
    while (succeeded(filter.insert(keys[inside]))) ASSERT_LT(++inside, 100'000u);
    EXPECT_EQ(filter.spec().lines(), 128u);
    EXPECT_EQ(filter.spec().level, 6u);
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
    for (std::uint64_t i = 0; i < inside; ++i) ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
    EXPECT_EQ(filter.keys(), 0u);
}

TEST(quotient_growth, grow_and_shrink_are_twice_and_half_the_lines_and_keep_every_answer) {
    auto filter = planned_quotient({2000, 0.01}, 1 << 16);
    const auto keys = key_family(9).first(2000);
    for (const digest& key : keys) ASSERT_TRUE(succeeded(filter.insert(key)));
    const auto asked = key_family(10).first(20'000);
    std::vector<std::uint8_t> before(asked.size());
    std::vector<std::uint8_t> after(asked.size());
    filter.may_contain(asked, before);
    const std::uint64_t lines = filter.spec().lines();
    for (std::uint64_t factor = 2; factor <= 8; factor *= 2) {
        must(filter.grow());
        EXPECT_EQ(filter.spec().lines(), factor * lines);
        filter.may_contain(asked, after);
        EXPECT_EQ(after, before);
        expect_members(filter, keys, 0, keys.size(), 1);
    }
    while (filter.spec().lines() > lines) must(filter.shrink());
    EXPECT_EQ(filter.spec().lines(), lines);
    filter.may_contain(asked, after);
    EXPECT_EQ(after, before);
    expect_members(filter, keys, 0, keys.size(), 1);
    EXPECT_FALSE(filter.shrink());
}

} // namespace
} // namespace everbloom
