// Copying, walking and resizing a quotient filter in steps: the result is that of one step, and members are found in between.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/model/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::rounds;
using support::snapshot_of;

quotient_filter filled(std::uint64_t capacity, const std::vector<digest>& keys) {
    auto filter = must(make<quotient_filter>(must(quotient_model::plan({capacity, 0.01}))));
    for (const digest key : keys) EXPECT_TRUE(succeeded(filter.insert(key)));
    return filter;
}
std::uint64_t members(const quotient_filter& filter, const std::vector<digest>& keys) {
    std::uint64_t found = 0;
    for (const digest key : keys) found += filter.may_contain(key) ? 1 : 0;
    return found;
}
quotient_filter copy_in_steps(const quotient_filter& filter, std::uint64_t step) {
    auto made = must(filter.copy_without_lines());
    const std::uint64_t lines = filter.spec().lines();
    for (std::uint64_t first = 0; first < lines; first += step) {
        made.copy_lines(filter, first, std::min(lines, first + step));
    }
    return made;
}

TEST(quotient_steps, a_filter_made_in_steps_is_that_of_one_step) {
    for (const std::uint64_t capacity : {1, 1000, 300'000}) { // a line, a part of a unit, several units
        const auto spec = must(quotient_model::plan({capacity, 0.01}));
        const auto expected = must(make<quotient_filter>(spec));
        for (const std::uint64_t step : {100, 4096, 1'000'000}) {
            auto made = must(quotient_filter::make_without_lines(spec));
            const std::uint64_t lines = made.spec().lines();
            for (std::uint64_t first = 0; first < lines; first += step) {
                made.empty_lines(first, std::min(lines, first + step));
            }
            EXPECT_EQ(snapshot_of(made), snapshot_of(expected)) << capacity << ' ' << step;
            EXPECT_EQ(made.keys(), 0u);
        }
    }
    quotient_spec wrong;
    EXPECT_FALSE(quotient_filter::make_without_lines(wrong));
}

TEST(quotient_steps, a_walk_in_steps_visits_what_a_walk_at_once_does) {
    auto keys = key_family(1).first(rounds(20'000));
    keys.insert(keys.end(), 9, keys[0]); // more copies than lines hold
    const auto filter = filled(100, keys);
    std::vector<digest> all;
    std::uint64_t counted_apart = 0;
    filter.for_each_digest([&](digest item, std::uint64_t copies) {
        if (all.size() < filter.items()) {
            all.push_back(item);
        } else {
            counted_apart += copies;
        }
    });
    EXPECT_EQ(all.size() + counted_apart, keys.size());
    for (const std::uint64_t step : {1, 7, 64, 1'000'000}) {
        std::vector<digest> seen;
        quotient_filter::walk at;
        while (at.lines < filter.spec().lines()) {
            at = filter.walk_digests(at, step, [&](digest item) { seen.push_back(item); });
        }
        EXPECT_EQ(seen, all) << step;
        at = filter.walk_digests(at, step, [](digest) { ADD_FAILURE() << "an item behind the end"; });
    }
}

TEST(quotient_steps, a_copy_in_steps_is_a_copy) {
    auto keys = key_family(2).first(rounds(300'000)); // several units of memory
    keys.insert(keys.end(), 9, keys[0]);
    const auto filter = filled(100, keys);
    for (const std::uint64_t step : {1, 100, 4096, 5000, 1'000'000}) {
        auto copy = copy_in_steps(filter, step);
        EXPECT_EQ(snapshot_of(copy), snapshot_of(filter)) << step;
        EXPECT_EQ(copy.keys(), filter.keys());
        EXPECT_EQ(copy.insert(key_family(3)[0]), insert_outcome::inserted);
        EXPECT_EQ(copy.keys(), filter.keys() + 1);
    }
}

TEST(quotient_steps, a_resize_in_steps_keeps_all_keys_and_gives_memory_back) {
    const auto keys = key_family(4).first(rounds(30'000));
    const auto original = filled(100, keys);
    const std::uint64_t lines = original.spec().lines();
    const std::uint64_t larger = 5 * lines + 3;
    for (const std::uint64_t step : {1, 1000, 1'000'000}) {
        auto filter = copy_in_steps(original, 4096);
        std::uint64_t steps = 0;
        for (; !must(filter.approach(larger, step)); ++steps) {
            if (steps % 1000 == 0) {
                ASSERT_EQ(members(filter, keys), keys.size());
            }
        }
        EXPECT_EQ(steps, (larger - lines - 1) / step);
        EXPECT_EQ(filter.spec().lines(), larger);
        EXPECT_EQ(members(filter, keys), keys.size());
        const std::uint64_t most_words = filter.memory_words();
        while (!must(filter.approach(lines + lines / 4, step))) {
        }
        EXPECT_EQ(members(filter, keys), keys.size());
        EXPECT_EQ(filter.keys(), keys.size());
        EXPECT_LT(filter.memory_words() * 3, most_words);
        EXPECT_TRUE(must(filter.approach(filter.spec().lines(), 0)));
    }
}

TEST(quotient_steps, a_size_that_cannot_be_leaves_a_whole_filter) {
    const auto keys = key_family(5).first(rounds(30'000));
    auto filter = filled(100, keys);
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.approach(filter.spec().initial_lines - 1, 10).error().reason, failure_reason::unsupported);
    EXPECT_EQ(filter.approach(filter.spec().largest_lines() + 1, 10).error().reason, failure_reason::unsupported);
    EXPECT_EQ(snapshot_of(filter), before);
    // It is nearly full: its keys do not fit into a tenth.
    const auto refused = filter.approach(filter.spec().lines() / 10, 1'000'000);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::no_room);
    EXPECT_EQ(members(filter, keys), keys.size());
    for (const digest key : keys) ASSERT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_EQ(filter.keys(), 0u);
}

} // namespace
} // namespace everbloom
