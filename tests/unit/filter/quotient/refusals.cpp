// What a quotient filter refuses, and that a refusal leaves no trace.
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/quotient/quotient.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::must;
using support::snapshot_of;

quotient_filter make_quotient(const quotient_spec& spec) { return must(make<quotient_filter>(spec.started())); }

/// Keys of one row, bucket and tag whose paths begin alike: they have the same two lines while the table is small.
digest crowding_key(std::uint64_t number, unsigned tag) {
    constexpr std::uint64_t beginning = 5;
    return {0, number << 6 | beginning << quotient_spec::tag_bits | tag};
}

TEST(quotient_refusals, keys_that_were_chosen_to_collide_are_refused_without_a_trace) {
    std::uint64_t refusals = 0;
    for (const std::uint64_t rows : {1, 2, 3, 4}) {
        for (const unsigned tag : {0U, 1U, 2U, 3U}) {
            auto filter = make_quotient({.initial_lines = rows, .rows = rows, .remainder_bits = 12});
            std::uint64_t inside = 0;
            auto before = snapshot_of(filter);
            for (; inside < 200 && succeeded(filter.insert(crowding_key(inside % 64, tag))); ++inside)
                before = snapshot_of(filter);
            if (inside == 200) continue;
            ++refusals;
            EXPECT_EQ(snapshot_of(filter), before) << rows << " rows, tag " << tag;
            EXPECT_EQ(filter.keys(), inside);
            for (std::uint64_t i = 0; i < inside; ++i) {
                ASSERT_EQ(filter.erase(crowding_key(i % 64, tag)), erase_outcome::removed);
            }
            EXPECT_EQ(filter.keys(), 0u);
        }
    }
    EXPECT_GT(refusals, 4u) << "this tests little";
}

TEST(quotient_refusals, one_line_is_not_halved) {
    auto filter = make_quotient({.initial_lines = 1, .rows = 1});
    EXPECT_FALSE(filter.shrink());
    must(filter.grow());
    EXPECT_EQ(filter.spec().lines(), 2u);
    must(filter.shrink());
    EXPECT_EQ(filter.spec().lines(), 1u);
    EXPECT_FALSE(filter.shrink());
}

} // namespace
} // namespace everbloom
