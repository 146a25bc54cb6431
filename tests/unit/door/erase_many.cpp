// Removing many keys by one call has the outcomes of removing them one by one, and gives their room back.
#include <everbloom/everbloom.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace everbloom {
namespace {

filter_options a_thousand(std::string kind = {}) {
    return {.capacity = 1000,
            .fpr = 0.001,
            .kind = std::move(kind),
            .hash = hash_id::integer,
            .key = hash_key::from_seed(1)};
}

std::vector<std::uint64_t> keys_from(std::uint64_t from, std::size_t count) {
    std::vector<std::uint64_t> made(count);
    std::iota(made.begin(), made.end(), from);
    return made;
}

template <class Filter>
void expect_same_outcomes(const filter_options& wanted) {
    Filter together(wanted);
    Filter singly(wanted);
    const auto members = keys_from(0, 700);
    together.insert(members);
    singly.insert(members);
    const auto expect_same = [&](const std::vector<std::uint64_t>& gone) {
        const erase_tally tally = together.erase(gone);
        erase_tally expected;
        for (const std::uint64_t one : gone) expected.add(singly.erase(one));
        for (const erase_outcome one : {erase_outcome::removed, erase_outcome::removed_still_positive,
                                        erase_outcome::not_present, erase_outcome::unsupported}) {
            EXPECT_EQ(tally.of(one), expected.of(one)) << together.kind();
        }
        EXPECT_TRUE(together == singly) << together.kind();
    };
    expect_same(keys_from(300, 400));
    for (std::uint64_t i = 0; i < 300; ++i) EXPECT_TRUE(together.may_contain(i)) << together.kind();
    // Keys that are gone, and keys that never were there: a false positive among them takes a member away, but the same one.
    expect_same(keys_from(500, 600));
}

TEST(erase_many, outcomes_are_those_of_single_removals) {
    expect_same_outcomes<filter<std::uint64_t, dleft>>(a_thousand());
    expect_same_outcomes<filter<std::uint64_t, counting>>(a_thousand());
    expect_same_outcomes<filter<std::uint64_t, quotient>>(a_thousand());
    for (const char* kind : {"dleft", "dfp", "elastic_blocked", "counting"}) {
        expect_same_outcomes<filter<std::uint64_t>>(a_thousand(kind));
    }
}

TEST(erase_many, a_table_of_lines_in_line) {
    filter_options lines = a_thousand();
    lines.fpr = 0.01;
    lines.geometry = {{"subtables", "2"},       {"buckets", "32"},     {"bucket_cells", "32"},
                      {"remainder_bits", "15"}, {"counter_bits", "1"}, {"move", "2"}};
    expect_same_outcomes<filter<std::uint64_t, dleft>>(lines);
}

TEST(erase_many, a_kind_that_cannot_remove_says_so_for_each_key) {
    filter<std::uint64_t, blocked> fixed(a_thousand());
    filter<std::uint64_t> named(a_thousand("blocked"));
    EXPECT_EQ(fixed.erase(keys_from(0, 300)).of(erase_outcome::unsupported), 300u);
    EXPECT_EQ(named.erase(keys_from(0, 300)).of(erase_outcome::unsupported), 300u);
}

TEST(erase_many, excluded_keys_are_not_present) {
    filter<std::uint64_t, dleft> some(a_thousand());
    some.insert(keys_from(0, 500));
    const auto excluded = keys_from(1000, 5);
    (void)some.exclude(excluded);
    EXPECT_EQ(some.erase(excluded).of(erase_outcome::not_present), 5u);
    EXPECT_EQ(some.erase(keys_from(0, 500)).successes(), 500u);
}

TEST(erase_many, room_is_given_back) {
    filter<std::uint64_t, counting> some(a_thousand());
    some.insert(keys_from(0, 1000));
    EXPECT_EQ(some.erase(keys_from(0, 1000)).successes(), 1000u);
    EXPECT_EQ(some.insert(keys_from(5000, 1000)).successes(), 1000u);
}

} // namespace
} // namespace everbloom
