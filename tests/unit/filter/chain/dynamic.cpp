// The chain of counting filters: when it grows, where keys go, who may leave, and what merging and shrinking make of it.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/chain/dynamic.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

dynamic_spec small_spec() {
    dynamic_spec spec;
    spec.initial_bits = 1000;
    spec.hashes = 4;
    return spec;
}

dynamic_filter filled(const dynamic_spec& spec, const key_family& keys, std::uint64_t from, std::uint64_t to) {
    auto made = must(make<dynamic_filter>(spec));
    for (std::uint64_t i = from; i < to; ++i) EXPECT_TRUE(succeeded(made.insert(keys[i])));
    return made;
}

std::uint64_t count_occupied_cells(const dynamic_filter& filter, std::uint64_t sub) {
    std::uint64_t occupied = 0;
    filter.for_each_cell_of(sub, [&](std::uint64_t value) { occupied += value != 0 ? 1 : 0; });
    return occupied;
}

void expect_exact_levels(const dynamic_filter& filter) {
    for (std::uint64_t sub = 0; sub < filter.spec().filters; ++sub) {
        ASSERT_EQ(filter.occupied(sub), count_occupied_cells(filter, sub)) << sub;
    }
}

TEST(dynamic_filter, opens_the_next_sub_filter_when_half_of_the_cells_are_occupied) {
    auto filter = must(make<dynamic_filter>(small_spec()));
    const key_family keys(1);
    std::uint64_t number = 0;
    insert_outcome outcome = insert_outcome::inserted;
    while (outcome == insert_outcome::inserted) outcome = filter.insert(keys[number++]);
    ASSERT_EQ(outcome, insert_outcome::inserted_grew);
    EXPECT_EQ(filter.spec().filters, 2u);
    EXPECT_GE(filter.occupied(0), 500u);
    EXPECT_LT(filter.occupied(0), 504u) << "one key more than the threshold allows, no more";
    EXPECT_EQ(filter.occupied(1), 4u) << "the key that made it grow";
    for (std::uint64_t i = 0; i < number; ++i) EXPECT_TRUE(filter.may_contain(keys[i]));
    EXPECT_EQ(filter.insert(keys[number]), insert_outcome::inserted);
}

TEST(dynamic_filter, knows_exactly_how_full_its_sub_filters_are) {
    auto filter = must(make<dynamic_filter>(small_spec()));
    const key_family keys(2);
    dice random(3);
    for (int step = 0; step < 5000; ++step) {
        const digest key = keys[random.below(1000)];
        if (random.one_in(3)) {
            (void)filter.erase(key);
        } else {
            (void)filter.insert(key);
        }
        if (step % 100 == 0) expect_exact_levels(filter);
    }
    EXPECT_GT(filter.spec().filters, 3u);
}

TEST(dynamic_filter, uses_room_that_removals_made_before_it_grows) {
    const key_family keys(4);
    auto filter = filled(small_spec(), keys, 0, 600);
    const std::uint64_t filters = filter.spec().filters;
    ASSERT_GE(filters, 3u);
    std::uint64_t left = 0;
    for (std::uint64_t i = 0; i < 100; ++i) left += succeeded(filter.erase(keys[i])) ? 1 : 0; // all from the first
    ASSERT_GT(left, 80u);
    const std::uint64_t before = filter.occupied(0);
    ASSERT_LT(before, 500u);
    EXPECT_EQ(filter.insert(keys[1000]), insert_outcome::inserted);
    EXPECT_GT(filter.occupied(0), before);
    for (std::uint64_t i = 1001; i < 1000 + left * 9 / 10; ++i)
        EXPECT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
    EXPECT_EQ(filter.spec().filters, filters);
}

TEST(dynamic_filter, cannot_remove_a_key_that_two_sub_filters_may_hold) {
    const key_family keys(5);
    auto filter = filled(small_spec(), keys, 0, 250); // the first sub-filter is full
    ASSERT_EQ(filter.spec().filters, 2u);
    ASSERT_TRUE(succeeded(filter.insert(keys[0]))); // its second copy lies in the second one
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.can_erase(keys[0]), erase_outcome::ambiguous);
    EXPECT_EQ(filter.erase(keys[0]), erase_outcome::ambiguous);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_GE(filter.estimate_count(keys[0]), 2u);
}

TEST(dynamic_filter, cannot_remove_a_key_whose_counters_are_all_stuck) {
    dynamic_spec spec = small_spec();
    spec.counter_bits = 2;
    auto filter = must(make<dynamic_filter>(spec));
    const digest key = key_family(6)[0];
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.can_erase(key), erase_outcome::removed_still_positive);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    EXPECT_EQ(filter.erase(key), erase_outcome::not_deletable);
    EXPECT_TRUE(filter.may_contain(key));
}

TEST(dynamic_filter, refuses_to_grow_beyond_what_is_allowed_and_goes_on_when_there_is_room) {
    dynamic_spec spec = small_spec();
    spec.most_filters = 2;
    const key_family keys(7);
    auto filter = must(make<dynamic_filter>(spec));
    std::uint64_t number = 0;
    while (succeeded(filter.insert(keys[number]))) ++number;
    ASSERT_GT(number, 300u);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(keys[number]), insert_outcome::growth_refused);
    std::vector<insert_outcome> outcomes(2);
    filter.insert(std::vector{keys[number], keys[number + 1]}, outcomes);
    EXPECT_EQ(outcomes, std::vector(2, insert_outcome::growth_refused));
    const auto refused = filter.grow();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_NE(refused.error().sentence.find("most_filters"), std::string::npos) << refused.error().sentence;
    EXPECT_EQ(snapshot_of(filter), before);
    for (std::uint64_t i = 0; i < 20; ++i) (void)filter.erase(keys[i]);
    EXPECT_EQ(filter.insert(keys[number]), insert_outcome::inserted);
}

TEST(dynamic_filter, merged_with_another_fills_up_what_is_open_and_appends_the_rest) {
    const key_family keys(8);
    auto left = filled(small_spec(), keys, 0, 40);
    must(left.merge(filled(small_spec(), keys, 40, 80)));
    EXPECT_EQ(left.spec().filters, 1u) << "both fit into one sub-filter";
    EXPECT_EQ(snapshot_of(left), snapshot_of(filled(small_spec(), keys, 0, 80)));
    const auto right = filled(small_spec(), keys, 80, 480);
    ASSERT_EQ(right.spec().filters, 3u);
    must(left.merge(right));
    EXPECT_EQ(left.spec().filters, 3u) << "two full ones are appended, the open ones become one";
    expect_exact_levels(left);
    for (std::uint64_t i = 0; i < 480; ++i) ASSERT_TRUE(left.may_contain(keys[i])) << i;
    std::uint64_t gone = 0;
    for (std::uint64_t i = 0; i < 480; ++i) gone += succeeded(left.erase(keys[i])) ? 1 : 0;
    EXPECT_GT(gone, 420u) << "keys leave from a merged filter as from any other";
}

TEST(dynamic_filter, that_has_no_room_for_another_one_is_left_as_it_was) {
    dynamic_spec spec = small_spec();
    spec.most_filters = 3;
    const key_family keys(9);
    auto left = filled(spec, keys, 0, 250);
    const auto before = snapshot_of(left);
    const auto refused = left.merge(filled(spec, keys, 250, 650));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(left), before);
}

TEST(dynamic_filter, shrinks_by_dropping_what_is_empty_and_putting_together_what_fits) {
    const key_family keys(10);
    auto filter = filled(small_spec(), keys, 0, 700);
    ASSERT_EQ(filter.spec().filters, 5u);
    std::vector<digest> stay;
    for (std::uint64_t i = 0; i < 700; ++i) {
        if (i % 10 == 0 || !succeeded(filter.erase(keys[i]))) stay.push_back(keys[i]);
    }
    must(filter.shrink());
    EXPECT_LT(filter.spec().filters, 3u);
    expect_exact_levels(filter);
    for (const digest& key : stay) ASSERT_TRUE(filter.may_contain(key));
    EXPECT_EQ(filter.sections()[0].size(), filter.spec().sub_lines() * line_words * filter.spec().filters);
    EXPECT_TRUE(succeeded(filter.insert(keys[1000])));
    filter.clear();
    if (filter.spec().filters > 1) must(filter.shrink());
    EXPECT_EQ(filter.spec().filters, 1u) << "one is always left";
    EXPECT_FALSE(filter.shrink().has_value());
}

TEST(dynamic_filter, grown_by_hand_does_not_grow_again_until_that_is_full) {
    auto filter = must(make<dynamic_filter>(small_spec()));
    must(filter.grow());
    const key_family keys(11);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
    EXPECT_EQ(filter.spec().filters, 2u);
    EXPECT_GT(filter.occupied(1), 0u);
}

TEST(dynamic_filter, refuses_a_bit_hidden_between_two_sub_filters) {
    dynamic_spec spec = small_spec();
    spec.filters = 2;
    auto words = must(heap_words::make(dynamic_filter::section_lines(spec)[0]));
    words.data()[1000 * 4 / 64] = std::uint64_t{1} << (1000 * 4 % 64); // behind the last counter of the first one
    EXPECT_FALSE(dynamic_filter::assemble(spec, {std::move(words)}).has_value());
}

TEST(dynamic_spec, allows_no_more_sub_filters_or_bits_than_there_may_be) {
    dynamic_spec spec = small_spec();
    spec.most_filters = 7;
    spec.filters = 7;
    EXPECT_TRUE(spec.check().has_value());
    spec.filters = 8;
    EXPECT_FALSE(spec.check().has_value());
    spec = small_spec();
    spec.initial_bits = max_structure_bits / 4;
    EXPECT_TRUE(spec.check().has_value());
    spec.filters = 2;
    EXPECT_FALSE(spec.check().has_value());
    spec.initial_bits = max_structure_bits;
    spec.counter_bits = 32;
    spec.filters = 4096;
    EXPECT_FALSE(spec.check().has_value());
}

} // namespace
} // namespace everbloom
