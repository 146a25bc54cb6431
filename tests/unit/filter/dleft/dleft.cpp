// The d-left counting filter by example: placing, counting, moving, growing, shrinking.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"
#include "support/sparse_words.hpp"

#include <everbloom/filter/dleft/dleft.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

dleft_filter make_dleft(const dleft_spec& spec) { return must(make<dleft_filter>(spec)); }

/// A key with this fingerprint.
digest key_of(std::uint64_t fingerprint) { return {fingerprint, 0}; }

std::vector<std::uint64_t> loads(const dleft_filter& filter, unsigned subtable) {
    const dleft_spec& spec = filter.spec();
    std::vector<std::uint64_t> made(spec.buckets, 0);
    for (std::uint64_t i = 0; i < spec.buckets * spec.bucket_cells; ++i) {
        made[i / spec.bucket_cells] += filter.cell(subtable * spec.buckets * spec.bucket_cells + i) != 0 ? 1 : 0;
    }
    return made;
}

TEST(dleft, a_key_goes_to_the_emptiest_bucket_and_to_the_left_of_equals) {
    // One bucket in each subtable: every key has the same three.
    auto filter = make_dleft({3, 1, 4, 8, 2, 0});
    const std::vector<std::vector<std::uint64_t>> expected{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}};
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(filter.insert(key_of(i)), insert_outcome::inserted);
        for (unsigned subtable = 0; subtable < 3; ++subtable) {
            EXPECT_EQ(loads(filter, subtable)[0], expected[i][subtable]) << i << " " << subtable;
        }
    }
    filter.erase(key_of(1)); // lies in the second
    EXPECT_EQ(filter.insert(key_of(9)), insert_outcome::inserted);
    EXPECT_EQ(loads(filter, 1)[0], 1u);
}

TEST(dleft, remainder_zero_is_an_ordinary_remainder) {
    auto filter = make_dleft({4, 16, 8, 4, 2, 0});
    EXPECT_FALSE(filter.may_contain(key_of(0)));
    EXPECT_EQ(filter.erase(key_of(0)), erase_outcome::not_present);
    filter.insert(key_of(0));
    EXPECT_TRUE(filter.may_contain(key_of(0)));
    EXPECT_EQ(filter.erase(key_of(0)), erase_outcome::removed);
    EXPECT_FALSE(filter.may_contain(key_of(0)));
}

TEST(dleft, four_copies_fit_and_the_fifth_is_refused_without_a_trace) {
    for (const std::uint64_t counter_bits : {1, 2}) {
        auto filter = make_dleft({4, 64, 8, 14, counter_bits, 0});
        const digest key = key_family(1)[0];
        EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
        for (std::uint64_t copies = 2; copies <= 4; ++copies) {
            EXPECT_EQ(filter.insert(key), insert_outcome::inserted_counted);
            EXPECT_EQ(filter.estimate_count(key), copies);
        }
        const auto before = snapshot_of(filter);
        EXPECT_EQ(filter.insert(key), insert_outcome::full_counter);
        EXPECT_EQ(snapshot_of(filter), before);
        EXPECT_EQ(filter.history().largest_count, 4u);
        for (std::uint64_t left = 4; left > 1; --left) {
            EXPECT_EQ(filter.erase(key), erase_outcome::removed_still_positive);
            EXPECT_EQ(filter.estimate_count(key), left - 1);
        }
        EXPECT_EQ(filter.erase(key), erase_outcome::removed);
        EXPECT_EQ(filter.erase(key), erase_outcome::not_present);
        EXPECT_EQ(snapshot_of(filter), snapshot_of(make_dleft(filter.spec())));
    }
}

TEST(dleft, wider_counters_count_further) {
    auto filter = make_dleft({4, 64, 8, 11, 5, 0});
    const digest key = key_family(1)[1];
    for (std::uint64_t i = 0; i < 32; ++i) EXPECT_TRUE(succeeded(filter.insert(key))) << i;
    EXPECT_EQ(filter.insert(key), insert_outcome::full_counter);
}

TEST(dleft, a_table_without_room_refuses_and_stays_as_it_is) {
    auto filter = make_dleft({2, 1, 4, 16, 2, 0});
    for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(filter.insert(key_of(i)), insert_outcome::inserted);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(key_of(100)), insert_outcome::full_bucket);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(filter.history().potential_overflows, 1u);
    EXPECT_EQ(filter.insert(key_of(3)), insert_outcome::inserted_counted) << "a counter has room";
}

/// Inserts until a key is refused; says how many are in.
std::uint64_t fill(dleft_filter& filter, const key_family& keys) {
    std::uint64_t count = 0;
    while (succeeded(filter.insert(keys[count]))) ++count;
    return count;
}

TEST(dleft, moving_keys_fills_the_table_higher_and_loses_none) {
    const key_family keys(2);
    std::uint64_t before = 0;
    for (const std::uint64_t moves : {0, 1, 2, 3}) {
        auto filter = make_dleft({4, 256, 8, 14, 2, moves});
        const std::uint64_t count = fill(filter, keys);
        EXPECT_GT(count, before) << moves;
        before = count;
        for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(filter.may_contain(keys[i])) << moves;
        const auto full = snapshot_of(filter);
        EXPECT_EQ(filter.insert(keys[count]), insert_outcome::full_bucket);
        EXPECT_EQ(snapshot_of(filter), full) << "a search that fails changes nothing";
        for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(succeeded(filter.erase(keys[i])));
        EXPECT_EQ(snapshot_of(filter), snapshot_of(make_dleft(filter.spec())));
    }
    EXPECT_GT(before, 256u * 4 * 8 * 95 / 100);
}

TEST(dleft, the_failsafe_of_the_paper_moves_a_key_of_the_first_subtable_only) {
    auto filter = make_dleft({4, 256, 8, 14, 2, 1});
    const key_family keys(3);
    std::uint64_t count = 0;
    while (filter.history().potential_overflows == 0) filter.insert(keys[count++]);
    // The key lies in the first subtable, in the cell that was left.
    const permuted_places places(8, 14);
    const bucket_place where = places.place(places.fingerprint(keys[count - 1]), 0);
    std::uint64_t found = 0;
    const dleft_layout layout(filter.spec());
    const dleft_table<const std::uint64_t> table(layout, filter.sections()[0].data());
    for (unsigned c = 0; c < 8; ++c) {
        const dleft_cell cell = table.cell(table.first_cell(0, where.bucket) + c);
        found += cell.count == 1 && cell.remainder == where.remainder ? 1 : 0;
    }
    EXPECT_EQ(found, 1u);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(filter.may_contain(keys[i]));
}

TEST(dleft, growing_keeps_every_fingerprint_bit) {
    auto filter = make_dleft({4, 64, 8, 14, 2, 0});
    const key_family keys(4);
    for (std::uint64_t i = 0; i < 1500; ++i) ASSERT_TRUE(succeeded(filter.insert(keys[i])));
    std::vector<bool> strangers;
    for (std::uint64_t i = 0; i < 100'000; ++i) strangers.push_back(filter.may_contain(key_family(5)[i]));
    must(filter.grow());
    EXPECT_EQ(filter.spec(), (dleft_spec{4, 128, 8, 13, 3, 0}));
    for (std::uint64_t i = 0; i < 1500; ++i) ASSERT_TRUE(filter.may_contain(keys[i])) << i;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        ASSERT_EQ(filter.may_contain(key_family(5)[i]), strangers[i])
            << "the same false positives, no more and no less";
    }
    must(filter.shrink());
    EXPECT_EQ(filter.spec(), (dleft_spec{4, 64, 8, 14, 2, 0})) << "the bit is given back";
    for (std::uint64_t i = 0; i < 1500; ++i) ASSERT_TRUE(succeeded(filter.erase(keys[i]))) << i;
    EXPECT_EQ(snapshot_of(filter), snapshot_of(make_dleft(filter.spec())));
}

TEST(dleft, shrinking_a_table_that_never_grew_drops_a_bit_of_the_fingerprints) {
    auto filter = make_dleft({4, 64, 8, 14, 2, 0});
    const key_family keys(6);
    for (std::uint64_t i = 0; i < 700; ++i) ASSERT_TRUE(succeeded(filter.insert(keys[i])));
    must(filter.shrink());
    EXPECT_EQ(filter.spec(), (dleft_spec{4, 32, 8, 14, 2, 0}));
    for (std::uint64_t i = 0; i < 700; ++i) ASSERT_TRUE(filter.may_contain(keys[i])) << i;
    for (std::uint64_t i = 0; i < 700; ++i) ASSERT_TRUE(succeeded(filter.erase(keys[i]))) << i;
    EXPECT_EQ(snapshot_of(filter), snapshot_of(make_dleft(filter.spec())));
}

TEST(dleft, what_does_not_fit_into_half_the_buckets_is_refused_and_nothing_changes) {
    auto filter = make_dleft({4, 64, 8, 14, 2, 0});
    for (std::uint64_t i = 0; i < 1400; ++i) ASSERT_TRUE(succeeded(filter.insert(key_family(7)[i])));
    const auto before = snapshot_of(filter);
    const auto refused = filter.shrink();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(filter.spec().buckets, 64u);
}

TEST(dleft, remainders_cannot_become_shorter_than_four_bits) {
    auto filter = make_dleft({4, 8, 8, 5, 2, 0});
    filter.insert(key_of(77));
    must(filter.grow());
    const auto refused = filter.grow();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::unsupported);
    EXPECT_TRUE(filter.may_contain(key_of(77)));
    auto smallest = make_dleft({4, 1, 8, 14, 2, 0});
    EXPECT_FALSE(smallest.shrink().has_value());
}

TEST(dleft, copies_survive_growing_and_shrinking) {
    auto filter = make_dleft({4, 32, 8, 14, 2, 0});
    const key_family keys(8);
    for (std::uint64_t i = 0; i < 100; ++i) {
        for (std::uint64_t copy = 0; copy <= i % 4; ++copy) ASSERT_TRUE(succeeded(filter.insert(keys[i])));
    }
    for (const auto& change : {&dleft_filter::grow, &dleft_filter::grow, &dleft_filter::shrink, &dleft_filter::shrink,
                               &dleft_filter::shrink}) {
        must((filter.*change)());
        for (std::uint64_t i = 0; i < 100; ++i) ASSERT_GE(filter.estimate_count(keys[i]), i % 4 + 1) << i;
    }
}

TEST(dleft, a_merge_that_does_not_fit_changes_nothing) {
    auto left = make_dleft({4, 8, 8, 14, 2, 0});
    auto right = make_dleft({4, 8, 8, 14, 2, 0});
    for (std::uint64_t i = 0; i < 180; ++i) {
        (void)left.insert(key_family(9)[i]);
        (void)right.insert(key_family(10)[i]);
    }
    const auto before = snapshot_of(left);
    const auto refused = left.merge(right);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(snapshot_of(left), before);
}

TEST(dleft, a_counter_of_zero_above_a_remainder_is_damage) {
    auto words = must(heap_words::make(1));
    words.data()[0] = 5 << 2;
    EXPECT_FALSE(dleft_filter::assemble({1, 1, 8, 14, 2, 0}, {std::move(words)}).has_value());
}

TEST(dleft, buckets_must_be_a_power_of_two_and_the_message_says_which) {
    const auto refused = dleft_spec{4, 2000, 8, 14, 2, 0}.check();
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().sentence.find("2048"), std::string::npos);
    EXPECT_EQ((dleft_spec{4, 2000, 8, 14, 2, 0}.rounded_up().buckets), 2048u);
}

TEST(dleft, cells_beyond_the_reach_of_32_bits_are_kept_apart) {
    const dleft_spec spec{2, std::uint64_t{1} << 29, 8, 4, 1, 0}; // 2^33 cells of 5 bits
    using sparse_filter = basic_dleft_filter<support::sparse_words>;
    auto filter = sparse_filter::assemble_empty(spec, {support::sparse_words(sparse_filter::section_lines(spec)[0])});
    const key_family keys(11);
    for (std::uint64_t i = 0; i < 500; ++i) ASSERT_EQ(filter.insert(keys[i]), insert_outcome::inserted);
    std::uint64_t strangers = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
        ASSERT_TRUE(filter.may_contain(keys[i]));
        ASSERT_EQ(filter.estimate_count(keys[i]), 1u);
        strangers += filter.may_contain(keys[i + 1000]) ? 1 : 0;
    }
    EXPECT_EQ(strangers, 0u);
}

} // namespace
} // namespace everbloom
