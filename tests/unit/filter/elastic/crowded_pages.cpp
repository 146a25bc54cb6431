// An elastic blocked filter with more keys than are sure for the width of its hashes: there are no more pages for them, so that every page continues
// in overflow pages. It goes on growing, to four times as many keys, and does everything as before.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/model/elastic/elastic_blocked.hpp>

#include <gtest/gtest.h>

#include <map>

namespace everbloom {
namespace {

using namespace support;

std::map<std::uint64_t, std::uint64_t> crowd_in(const elastic_blocked_filter& filter) {
    std::map<std::uint64_t, std::uint64_t> found;
    filter.for_each_digest([&](const digest& item, std::uint64_t copies) { found[item.low] = copies; });
    return found;
}

TEST(crowded_pages, hold_what_was_inserted_and_not_removed) {
    dice random(31);
    for (std::uint64_t round = 0; round < rounds(6); ++round) {
        auto spec = must(elastic_blocked_model::plan({10 + random.below(300), 0.01}));
        spec.word_bits = 28 + random.below(5); // 2^8 to 2^12 keys are sure
        if (random.one_in(2)) spec.hashes = 1 + random.below(kernel::max_line_hashes);
        spec.growth = 100'000 + random.below(1'000'000);
        auto filter = must(make<elastic_blocked_filter>(spec.started()));
        const key_family keys(70 + round);
        std::map<std::uint64_t, std::uint64_t> truth;
        std::vector<std::uint64_t> inserted; // numbers of keys, copies as well
        const auto stored = [&](std::uint64_t key) { return keys[key].low & stored_mask(spec.word_bits); };
        const auto remove = [&](std::uint64_t hash) {
            if (--truth[hash] == 0) truth.erase(hash);
        };
        std::uint64_t refused = 0;
        std::uint64_t largest_chain = 0;
        for (std::uint64_t key = 0; refused < 3 && key < 12 * spec.sure_keys(); ++key) {
            const std::uint64_t which =
                random.one_in(20) && !inserted.empty() ? inserted[random.below(inserted.size())] : key;
            if (succeeded(filter.insert(keys[which]))) {
                ++truth[stored(which)];
                inserted.push_back(which);
            } else {
                ++refused;
                ASSERT_GE(truth.size(), spec.most_keys());
            }
            if (random.one_in(10)) { // one by one, or many together
                std::vector<digest> items;
                std::vector<std::uint64_t> hashes;
                for (std::uint64_t left = random.one_in(50) ? random.below(40) : 1; left > 0; --left) {
                    if (random.one_in(4)) {
                        items.push_back(keys[(std::uint64_t{1} << 40) + key + left]);
                        hashes.push_back(items.back().low & stored_mask(spec.word_bits));
                        continue;
                    }
                    const std::size_t at = random.below(inserted.size());
                    items.push_back(keys[inserted[at]]);
                    hashes.push_back(stored(inserted[at]));
                    inserted[at] = inserted.back();
                    inserted.pop_back();
                    if (inserted.empty()) break;
                }
                std::vector<erase_outcome> outcomes(items.size());
                filter.erase(items, outcomes);
                for (std::size_t i = 0; i < items.size(); ++i) {
                    const bool was_there = truth.contains(hashes[i]);
                    ASSERT_EQ(outcomes[i] == erase_outcome::removed, was_there);
                    if (was_there) remove(hashes[i]);
                }
            }
            largest_chain = std::max(largest_chain, filter.spec().spares / filter.spec().progress().pages);
            if (!random.one_in(1000)) continue;
            ASSERT_TRUE(crowd_in(filter) == truth);
            for (const auto& one : truth) ASSERT_TRUE(filter.may_contain({one.first, 0}));
            const auto again = reloaded(filter);
            ASSERT_TRUE(crowd_in(again) == truth);
            if (random.one_in(3)) filter = reloaded(filter);
        }
        EXPECT_EQ(refused, 3u);
        EXPECT_GE(largest_chain, 1u); // on average
        ASSERT_TRUE(crowd_in(filter) == truth);
        // And all can go.
        while (!truth.empty()) {
            const std::uint64_t hash = truth.begin()->first;
            ASSERT_EQ(filter.erase({hash, 0}), erase_outcome::removed);
            remove(hash);
        }
        ASSERT_EQ(filter.keys(), 0u);
        (void)reloaded(filter);
    }
}

TEST(crowded_pages, are_announced_by_the_plan) {
    for (const std::uint64_t items : {1ULL, 1000ULL, 999'999ULL, 1'000'000ULL, 100'000'000ULL, 300'000'000ULL}) {
        const auto spec = must(elastic_blocked_model::plan({items, 0.01}));
        EXPECT_GE(spec.sure_keys(), std::max<std::uint64_t>(2 * items, 268'000'000)) << items;
        EXPECT_GE(spec.most_keys(), std::max<std::uint64_t>(8 * items, 1'000'000'000)) << items;
    }
}

} // namespace
} // namespace everbloom
