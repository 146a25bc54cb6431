// What a quotient filter refuses, and that a refusal leaves no trace.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::must;
using support::snapshot_of;

quotient_filter make_quotient(const quotient_spec& spec) { return must(make<quotient_filter>(spec.started())); }

/// Keys of one row, bucket and tag whose paths begin alike: they have the same two lines while the table is small.
std::vector<digest> crowding_keys(const quotient_spec& spec, unsigned tag, std::size_t count) {
    const quotient_places places(spec);
    support::dice random(tag);
    std::vector<digest> made;
    for (int tries = 0; made.size() < count && tries < 1'000'000; ++tries) {
        // The upper half decides bucket and tag: a fraction of all numbers of 32 bits for each pair of them.
        const std::uint64_t upper = (std::uint64_t{tag} << 32) / (spec.buckets << quotient_spec::tag_bits) + 1;
        const digest key{random.word(), upper << 32 | (random.word() & low_mask(32))};
        const quotient_fingerprint seen = places.fingerprint(key);
        if (seen.row == 0 && seen.tag == tag && (seen.path & 15) == 5) made.push_back(key);
    }
    return made;
}

TEST(quotient_refusals, keys_that_were_chosen_to_collide_are_refused_without_a_trace) {
    std::uint64_t refusals = 0;
    for (const std::uint64_t rows : {1, 2, 3, 4}) {
        for (const unsigned tag : {0U, 1U, 2U, 3U}) {
            auto filter = make_quotient({.initial_lines = rows, .rows = rows, .remainder_bits = 12});
            const auto keys = crowding_keys(filter.spec(), tag, 200);
            ASSERT_EQ(keys.size(), 200u);
            std::size_t inside = 0;
            auto before = snapshot_of(filter);
            for (; inside < keys.size() && succeeded(filter.insert(keys[inside])); ++inside)
                before = snapshot_of(filter);
            if (inside == keys.size()) continue;
            ++refusals;
            EXPECT_EQ(snapshot_of(filter), before) << rows << " rows, tag " << tag;
            EXPECT_EQ(filter.keys(), inside);
            for (std::size_t i = 0; i < inside; ++i) ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed);
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
