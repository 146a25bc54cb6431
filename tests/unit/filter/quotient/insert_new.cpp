// insert_new of a quotient filter: the semantics of a set, in one pass.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/model/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

quotient_filter new_set(std::uint64_t capacity, std::uint64_t planned_keys) {
    const quotient_spec preset{.buckets = 0, .remainder_bits = 0, .planned_keys = planned_keys};
    return must(make<quotient_filter>(must(quotient_model::plan({capacity, 0.01}, preset))));
}

TEST(quotient_insert_new, does_what_asking_and_inserting_does_also_while_it_grows) {
    auto together = new_set(100, 1 << 24);
    auto one_by_one = new_set(100, 1 << 24);
    auto by_hand = new_set(100, 1 << 24);
    auto keys = key_family(3).first(20'000);
    // Repeats: of the key before, of one in the same group, and of one long ago.
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (i % 7 == 0) keys[i] = keys[i - 1];
        if (i % 11 == 0) keys[i] = keys[i - std::min<std::size_t>(i, 20)];
        if (i % 13 == 0) keys[i] = keys[i / 2];
    }
    std::size_t repeats = 0;
    for (std::size_t from = 0; from < keys.size(); from += 250) {
        const auto group = std::span<const digest>(keys).subspan(from, 250);
        std::vector<insert_outcome> outcomes(group.size());
        ASSERT_EQ(together.insert_new(group, outcomes), group.size());
        for (std::size_t i = 0; i < group.size(); ++i) {
            const bool is_new = !by_hand.may_contain(group[i]);
            ASSERT_TRUE(!is_new || succeeded(by_hand.insert(group[i])));
            repeats += is_new ? 0 : 1;
            ASSERT_EQ(succeeded(outcomes[i]), is_new) << from + i;
            ASSERT_EQ(one_by_one.insert_new(group[i]), outcomes[i]) << from + i;
            ASSERT_TRUE(is_new || outcomes[i] == insert_outcome::already_present);
        }
    }
    EXPECT_GT(repeats, 3000u);
    EXPECT_EQ(snapshot_of(together), snapshot_of(by_hand));
    EXPECT_EQ(snapshot_of(one_by_one), snapshot_of(by_hand));
}

TEST(quotient_insert_new, stops_at_the_first_refusal_and_leaves_the_rest_untouched) {
    // One line that may not grow.
    auto filter = must(make<quotient_filter>(quotient_spec{.initial_lines = 1, .rows = 1, .most_lines = 1}.started()));
    const auto keys = key_family(4).first(200);
    std::vector<insert_outcome> outcomes(keys.size(), insert_outcome::not_writable);
    const std::size_t done = filter.insert_new(keys, outcomes);
    ASSERT_LT(done, keys.size());
    for (std::size_t i = 0; i + 1 < done; ++i) {
        ASSERT_TRUE(succeeded(outcomes[i]) || outcomes[i] == insert_outcome::already_present) << i;
        ASSERT_TRUE(filter.may_contain(keys[i]));
    }
    EXPECT_FALSE(succeeded(outcomes[done - 1]));
    EXPECT_NE(outcomes[done - 1], insert_outcome::already_present);
    EXPECT_EQ(outcomes[done], insert_outcome::not_writable) << "not looked at";
    EXPECT_LT(filter.keys(), done);
}

} // namespace
} // namespace everbloom
