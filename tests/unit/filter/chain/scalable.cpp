// The chain of growing Bloom filters: sizes and hashes of its links, when it grows, and that it keeps its rate.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/chain/scalable.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

scalable_spec small_spec() {
    scalable_spec spec;
    spec.initial_bits = 1000;
    spec.hashes = 8;
    return spec;
}

scalable_filter filled(const scalable_spec& spec, const key_family& keys, std::uint64_t from, std::uint64_t to) {
    auto made = must(make<scalable_filter>(spec));
    for (std::uint64_t i = from; i < to; ++i) EXPECT_TRUE(succeeded(made.insert(keys[i])));
    return made;
}

// With half of the bits set, one hash more halves the rate [Almeida07].
TEST(scalable_spec, doubles_the_bits_and_adds_hashes_as_the_rate_is_tightened) {
    scalable_spec spec = small_spec();
    const std::array<std::uint64_t, 4> bits{1000, 2000, 4000, 8000};
    for (std::uint64_t i = 0; i < bits.size(); ++i) {
        EXPECT_EQ(spec.bits_of(i), bits[i]);
        EXPECT_EQ(spec.hashes_of(i), 8 + i) << "tightening 1/2";
    }
    spec.growth = 4;
    spec.tightening = 125'000;
    EXPECT_EQ(spec.bits_of(3), 64'000u);
    for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(spec.hashes_of(i), std::min<std::uint64_t>(8 + 3 * i, 32)) << i;
    spec.tightening = 800'000; // 0.8^3 = 0.512, 0.8^4 = 0.41
    EXPECT_EQ(spec.hashes_of(0), 8u);
    EXPECT_EQ(spec.hashes_of(1), 9u);
    EXPECT_EQ(spec.hashes_of(3), 9u);
    EXPECT_EQ(spec.hashes_of(4), 10u);
    EXPECT_EQ(spec.hashes_of(40), 21u); // 12.88 hashes more, rounded up
}

TEST(scalable_spec, allows_no_more_sub_filters_or_bits_than_there_may_be) {
    scalable_spec spec = small_spec();
    spec.filters = 32;
    EXPECT_TRUE(spec.check().has_value());
    spec.filters = 33;
    EXPECT_FALSE(spec.check().has_value());
    spec.most_filters = 48;
    EXPECT_TRUE(spec.check().has_value());
    spec.filters = 48;
    EXPECT_FALSE(spec.check().has_value()) << "2^48 times a thousand bits";
    spec.growth = 4;
    spec.initial_bits = max_structure_bits;
    EXPECT_FALSE(spec.check().has_value());
}

TEST(scalable_filter, opens_a_larger_sub_filter_when_half_of_the_bits_are_set) {
    auto filter = must(make<scalable_filter>(small_spec()));
    const key_family keys(1);
    std::uint64_t number = 0;
    while (filter.spec().filters < 4) {
        const std::uint64_t filters = filter.spec().filters;
        const insert_outcome outcome = filter.insert(keys[number++]);
        ASSERT_EQ(outcome == insert_outcome::inserted_grew, filter.spec().filters > filters);
    }
    for (std::uint64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(filter.sub(i).bits, std::uint64_t{1000} << i);
        EXPECT_GE(filter.sub(i).ones, std::uint64_t{500} << i);
        EXPECT_LT(filter.sub(i).ones, (std::uint64_t{500} << i) + 8 + i);
    }
    for (std::uint64_t i = 0; i < number; ++i) EXPECT_TRUE(filter.may_contain(keys[i]));
}

TEST(scalable_filter, knows_exactly_how_many_bits_are_set) {
    const key_family keys(2);
    const auto filter = filled(small_spec(), keys, 0, 1000);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < filter.spec().filters; ++i) {
        std::uint64_t ones = 0;
        for (std::uint64_t bit = 0; bit < filter.sub(i).bits; ++bit) ones += filter.cell(at++);
        EXPECT_EQ(filter.sub(i).ones, ones) << i;
    }
    EXPECT_EQ(at, filter.cells());
}

TEST(scalable_filter, stores_no_key_twice) {
    const key_family keys(3);
    auto filter = filled(small_spec(), keys, 0, 500);
    const auto before = snapshot_of(filter);
    std::vector<insert_outcome> outcomes(500);
    filter.insert(keys.first(500), outcomes);
    EXPECT_EQ(outcomes, std::vector(500, insert_outcome::inserted));
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(scalable_filter, keeps_the_rate_it_was_planned_for_at_any_size) {
    const key_family keys(4);
    auto filter = must(make<scalable_filter>(must(scalable_model::plan({1000, 0.01}))));
    std::uint64_t inside = 0;
    for (const std::uint64_t target : {1000, 4000, 16'000, 64'000, 256'000}) {
        for (; inside < target; ++inside) ASSERT_TRUE(succeeded(filter.insert(keys[inside])));
        EXPECT_LE(scalable_model::measure(filter).fpr, 0.01) << target;
    }
    EXPECT_GE(filter.spec().filters, 8u);
    std::uint64_t maybe = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) maybe += filter.may_contain(key_family(5)[i]) ? 1 : 0;
    EXPECT_LT(maybe, 300u) << "200 expected at 1 %, seven standard deviations more is 300";
}

TEST(scalable_filter, refuses_to_grow_beyond_what_is_allowed) {
    scalable_spec spec = small_spec();
    spec.most_filters = 2;
    const key_family keys(6);
    auto filter = must(make<scalable_filter>(spec));
    std::uint64_t number = 0;
    while (succeeded(filter.insert(keys[number]))) ++number;
    ASSERT_GT(number, 200u);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(keys[number]), insert_outcome::growth_refused);
    EXPECT_EQ(filter.insert(keys[0]), insert_outcome::inserted) << "what is in needs no room";
    EXPECT_EQ(filter.grow().error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(scalable_filter, merged_with_a_longer_or_a_shorter_one_holds_the_keys_of_both) {
    const key_family keys(7);
    for (const std::uint64_t mine : {10, 300, 2000}) {
        auto left = filled(small_spec(), keys, 0, mine);
        const auto right = filled(small_spec(), keys, mine, 1000 + mine);
        const std::uint64_t filters = std::max(left.spec().filters, right.spec().filters);
        must(left.merge(right));
        EXPECT_EQ(left.spec().filters, filters);
        for (std::uint64_t i = 0; i < 1000 + mine; ++i) ASSERT_TRUE(left.may_contain(keys[i])) << i;
        EXPECT_TRUE(succeeded(left.insert(keys[5000])));
    }
}

TEST(scalable_filter, fills_the_room_it_has_before_it_uses_what_was_made_in_advance) {
    auto filter = must(make<scalable_filter>(small_spec()));
    must(filter.grow());
    const key_family keys(8);
    ASSERT_EQ(filter.insert(keys[0]), insert_outcome::inserted);
    EXPECT_EQ(filter.sub(0).ones, 8u);
    EXPECT_EQ(filter.sub(1).ones, 0u);
    for (std::uint64_t i = 1; i < 200; ++i) ASSERT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
    EXPECT_GT(filter.sub(1).ones, 0u);
    EXPECT_EQ(filter.spec().filters, 2u);
}

TEST(scalable_filter, refuses_a_bit_hidden_between_two_sub_filters) {
    scalable_spec spec = small_spec();
    spec.filters = 2;
    auto words = must(heap_words::make(scalable_filter::section_lines(spec)[0]));
    words.data()[1000 / 64] = std::uint64_t{1} << (1000 % 64);
    EXPECT_FALSE(scalable_filter::assemble(spec, {std::move(words)}).has_value());
}

} // namespace
} // namespace everbloom
