// The counting filter: counters by example, and saturation, where others lose keys (promise 4).
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/cells/counting.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <map>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

counting_filter make_counting(std::uint64_t cells, std::uint64_t hashes, std::uint64_t counter_bits = 4) {
    return must(make<counting_filter>({cells * counter_bits, hashes, counter_bits}));
}

TEST(counting, an_item_adds_one_to_each_of_its_different_cells) {
    const key_family keys(1);
    auto filter = make_counting(20, 6);
    std::map<std::uint64_t, std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 5; ++i) {
        EXPECT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
        const position_list listed = position_list::distinct(keys[i], {20, 6, probe_scheme::double_hashing});
        for (const std::uint64_t at : listed.get()) {
            ++expected[at];
        }
    }
    for (std::uint64_t at = 0; at < 20; ++at) EXPECT_EQ(filter.cell(at), expected[at]) << at;
}

TEST(counting, removing_everything_gives_back_the_empty_filter) {
    const key_family keys(2);
    auto filter = make_counting(5000, 7);
    const auto empty = snapshot_of(filter);
    for (std::uint64_t i = 0; i < 500; ++i) filter.insert(keys[i]);
    for (std::uint64_t i = 0; i < 500; ++i) EXPECT_TRUE(succeeded(filter.erase(keys[i])));
    EXPECT_EQ(snapshot_of(filter), empty);
}

TEST(counting, a_key_inserted_twice_must_be_removed_twice) {
    const digest key = key_family(3)[0];
    auto filter = make_counting(100, 4);
    filter.insert(key);
    filter.insert(key);
    EXPECT_EQ(filter.estimate_count(key), 2u);
    EXPECT_EQ(filter.erase(key), erase_outcome::removed_still_positive);
    EXPECT_TRUE(filter.may_contain(key));
    EXPECT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_FALSE(filter.may_contain(key));
    EXPECT_EQ(filter.erase(key), erase_outcome::not_present);
}

TEST(counting, the_insert_that_reaches_the_largest_value_says_so) {
    const digest key = key_family(4)[0];
    auto filter = make_counting(100, 4);
    for (int i = 1; i <= 14; ++i) EXPECT_EQ(filter.insert(key), insert_outcome::inserted) << i;
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    const auto stuck = snapshot_of(filter);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    EXPECT_EQ(snapshot_of(filter), stuck);
    EXPECT_EQ(filter.erase(key), erase_outcome::not_deletable);
    EXPECT_EQ(snapshot_of(filter), stuck);
    EXPECT_TRUE(filter.may_contain(key));
}

// One key comes and goes very often among keys that share cells with it: none of those may be lost.
TEST(counting, saturation_loses_nobody) {
    for (const std::uint64_t counter_bits : {2, 3, 4, 8}) {
        for (const int times : {15, 16, 17, 1000}) {
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                const key_family keys(seed);
                constexpr std::uint64_t neighbours = 12;
                auto filter = make_counting(40, 4, counter_bits); // so few cells that all neighbours share some
                for (std::uint64_t i = 1; i <= neighbours; ++i) filter.insert(keys[i]);
                for (int i = 0; i < times; ++i) ASSERT_TRUE(succeeded(filter.insert(keys[0])));
                for (std::uint64_t i = 0; i <= neighbours; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
                for (int left = times; left > 0; --left) {
                    ASSERT_TRUE(filter.may_contain(keys[0])) << left << " still in";
                    const erase_outcome outcome = filter.erase(keys[0]);
                    ASSERT_TRUE(succeeded(outcome) || outcome == erase_outcome::not_deletable) << name_of(outcome);
                    for (std::uint64_t i = 1; i <= neighbours; ++i) ASSERT_TRUE(filter.may_contain(keys[i])) << i;
                }
                // And the neighbours can leave too, as far as their own cells still move.
                for (std::uint64_t gone = 1; gone <= neighbours; ++gone) {
                    ASSERT_NE(filter.erase(keys[gone]), erase_outcome::not_present);
                    for (std::uint64_t i = gone + 1; i <= neighbours; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
                }
            }
        }
    }
}

TEST(counting, stuck_cells_stick_through_a_merge) {
    const digest key = key_family(5)[0];
    auto a = make_counting(50, 3);
    auto b = make_counting(50, 3);
    for (int i = 0; i < 8; ++i) {
        a.insert(key);
        b.insert(key);
    }
    must(a.merge(b));
    EXPECT_EQ(a.estimate_count(key), 15u);
    EXPECT_EQ(a.erase(key), erase_outcome::not_deletable);
}

TEST(counting, the_estimate_is_at_least_the_truth_while_no_cell_is_stuck) {
    const key_family keys(6);
    auto filter = make_counting(400, 4, 8);
    for (std::uint64_t i = 0; i < 30; ++i) {
        for (std::uint64_t copy = 0; copy <= i; ++copy) ASSERT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
    }
    for (std::uint64_t i = 0; i < 30; ++i) EXPECT_GE(filter.estimate_count(keys[i]), i + 1);
}

TEST(counting, bits_that_make_no_whole_counter_are_left_unused) {
    const counting_spec spec{23, 2, 4};
    EXPECT_EQ(spec.cells(), 5u);
    EXPECT_TRUE(spec.check().has_value());
    EXPECT_FALSE((counting_spec{3, 2, 4}.check().has_value()));
    std::array<heap_words, 1> stores{must(heap_words::make(1))};
    stores[0].data()[0] = std::uint64_t{1} << 20; // behind the fifth counter, before the end of the 23 bits
    EXPECT_FALSE(counting_filter::assemble(spec, std::move(stores)).has_value());
}

} // namespace
} // namespace everbloom
