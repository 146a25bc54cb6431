// Removals of an elastic blocked filter in batches: the same bytes and outcomes as one by one, at rest and in the middle of a growth, also in a
// filter from a file, which holds no page before the frontier; and for readers beside the writer.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/elastic/shared_access.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/model/elastic/elastic_blocked.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using namespace support;

using readable_filter = elastic_blocked_filter_with<heap_words, shared_access>;

template <class Filter>
std::vector<erase_outcome> erased_in_batches(Filter& filter, std::span<const digest> items, dice& random) {
    std::vector<erase_outcome> outcomes(items.size());
    for (std::size_t from = 0; from < items.size();) {
        const std::size_t count = std::min<std::size_t>(1 + random.below(90), items.size() - from);
        filter.erase(items.subspan(from, count), std::span(outcomes).subspan(from, count));
        from += count;
    }
    return outcomes;
}

/// Keys in any order, with some that are not there, some twice, and some that are neighbours.
std::vector<digest> some_removals(const key_family& keys, std::uint64_t members, dice& random) {
    std::vector<digest> made;
    for (std::uint64_t i = 0; i < members; ++i) made.push_back(keys[i]);
    for (std::size_t i = made.size(); i-- > 1;) std::swap(made[i], made[random.below(i + 1)]);
    made.resize(made.size() * (1 + random.below(4)) / 4);
    const std::uint64_t more = 1 + made.size() / 10;
    for (std::uint64_t i = 0; i < more; ++i) {
        const std::size_t at = random.below(made.size());
        made.insert(made.begin() + static_cast<std::ptrdiff_t>(at),
                    random.one_in(2) ? keys[members + i] : made[random.below(made.size())]);
    }
    return made;
}

TEST(elastic_erase_batches, leave_what_removals_one_by_one_leave) {
    dice random(21);
    std::uint64_t growing = 0;
    for (std::uint64_t round = 0; round < rounds(40); ++round) {
        const key_family keys(30 + round);
        auto spec = must(elastic_blocked_model::plan({1 + random.below(300), random.one_in(2) ? 0.01 : 0.001}));
        if (random.one_in(3)) spec.hashes = 1 + random.below(kernel::max_line_hashes);
        if (random.one_in(3)) spec.word_bits = 34 + random.below(20);
        auto filter = must(make<elastic_blocked_filter>(spec));
        const std::uint64_t members = 1 + random.below(6'000);
        for (std::uint64_t i = 0; i < members; ++i) {
            ASSERT_TRUE(succeeded(filter.insert(keys[i])));
            if (!random.one_in(100)) continue;
            ASSERT_TRUE(succeeded(filter.insert(keys[random.below(i + 1)])));
        }
        growing += filter.is_growing() ? 1 : 0;
        auto one_by_one = reloaded_as<elastic_blocked_filter>(filter);
        auto from_file = reloaded_as<elastic_blocked_filter>(filter);
        auto readable = reloaded_as<readable_filter>(filter);
        const std::vector<digest> items = some_removals(keys, members, random);
        std::vector<erase_outcome> expected;
        expected.reserve(items.size());
        for (const digest& item : items) expected.push_back(one_by_one.erase(item));
        ASSERT_EQ(erased_in_batches(filter, items, random), expected);
        ASSERT_EQ(erased_in_batches(from_file, items, random), expected);
        ASSERT_EQ(erased_in_batches(readable, items, random), expected);
        for (const auto* const other : {&filter, &from_file}) {
            ASSERT_EQ(other->keys(), one_by_one.keys());
            ASSERT_EQ(other->copies(), one_by_one.copies());
        }
        ASSERT_EQ(readable.keys(), one_by_one.keys());
        // The bits match the stored hashes, in the block that the frontier cuts as well.
        EXPECT_EQ(snapshot_of(reloaded_as<elastic_blocked_filter>(filter)),
                  snapshot_of(reloaded_as<elastic_blocked_filter>(one_by_one)));
        EXPECT_EQ(snapshot_of(reloaded_as<elastic_blocked_filter>(from_file)),
                  snapshot_of(reloaded_as<elastic_blocked_filter>(one_by_one)));
        EXPECT_EQ(snapshot_of(reloaded_as<elastic_blocked_filter>(readable)),
                  snapshot_of(reloaded_as<elastic_blocked_filter>(one_by_one)));
        std::uint64_t left = 0;
        for (std::uint64_t i = 0; i < members; ++i) left += one_by_one.confirm(keys[i]) ? 1 : 0;
        std::vector<std::uint8_t> answers(members);
        std::vector<digest> all;
        for (std::uint64_t i = 0; i < members; ++i) all.push_back(keys[i]);
        filter.may_contain(std::span<const digest>(all), answers);
        for (std::uint64_t i = 0; i < members; ++i) {
            ASSERT_EQ(answers[i] != 0, filter.may_contain(keys[i]));
            ASSERT_TRUE(answers[i] != 0 || !one_by_one.confirm(keys[i]));
        }
    }
    EXPECT_GT(growing, rounds(40) / 4);
}

} // namespace
} // namespace everbloom
