// Growth of an elastic blocked filter within its own memory: the same bytes as with memory of its own for every size, at every moment, and as
// much memory as it says.
#include "support/counted_memory.hpp"
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using namespace support;

/// Whether blocks and pages of the next size lie over those of this size.
bool grows_in_place(const elastic_blocked_filter& filter) {
    const auto sections = filter.sections(); // old blocks, new blocks, old pages, overflow, new pages
    const auto is_over = [](std::span<const std::uint64_t> old, std::span<const std::uint64_t> next) {
        const auto distance =
            reinterpret_cast<std::uintptr_t>(old.data()) - reinterpret_cast<std::uintptr_t>(next.data());
        return distance < std::uintptr_t{1} << 26; // below 64 MiB: no other memory lies there
    };
    return is_over(sections[0], sections[1]) && is_over(sections[2], sections[4]);
}

struct shape {
    std::uint64_t line_keys;
    std::uint64_t growth;
    std::uint64_t hashes;
    std::uint64_t blocks;
};

/// Keys come, many leave again, and all at once; returns what it is at some moments, most of them in the middle of a growth.
std::vector<snapshot> life_of(const shape& how, std::uint64_t seed, std::uint64_t& in_place) {
    elastic_blocked_spec spec;
    spec.initial_bits = how.blocks * line_bits;
    spec.line_keys = how.line_keys;
    spec.growth = how.growth;
    spec.hashes = how.hashes;
    auto filter = must(make<elastic_blocked_filter>(spec.started()));
    const key_family keys(seed);
    dice random(seed);
    std::vector<snapshot> taken;
    std::uint64_t first = 0; // of the keys in it
    std::uint64_t end = 0;
    const std::uint64_t most = 2 * spec.started().keys_for(spec.started().bits) + 4000;
    for (int round = 0; round < 12; ++round) {
        for (std::uint64_t i = 0; i < most / 6; ++i, ++end) EXPECT_TRUE(succeeded(filter.insert(keys[end])));
        if (round == 3) {
            EXPECT_TRUE(succeeded(filter.insert(keys[end - 1]))); // a copy
            EXPECT_EQ(filter.erase(keys[end - 1]), erase_outcome::removed);
        }
        // Nearly all leave, in the middle of a growth: the rest of it moves empty pages.
        const bool leave = round == 7;
        if (leave) {
            for (; first + 50 < end; ++first) EXPECT_EQ(filter.erase(keys[first]), erase_outcome::removed);
        }
        if (round == 9 && random.one_in(2)) {
            filter.clear();
            first = end;
        }
        if (filter.is_growing()) in_place += grows_in_place(filter) ? 1 : 0;
        for (std::uint64_t i = first; i < end; i += 7)
            EXPECT_TRUE(filter.confirm(keys[i]) && filter.may_contain(keys[i]));
        taken.push_back(snapshot_of(filter));
        EXPECT_EQ(snapshot_of(reloaded(filter)), taken.back()) << "round " << round;
    }
    return taken;
}

TEST(growth_in_place, has_the_same_bytes_as_growth_into_other_memory) {
    std::uint64_t in_place = 0;
    for (std::uint64_t seed = 0; seed < rounds(1); ++seed) {
        for (const shape& how : {shape{32'000'000, 300'000, 8, 1500}, shape{32'000'000, 2'000'000, 8, 1500},
                                 shape{32'000'000, 10'000, 8, 3000}, shape{1'000'000, 300'000, 5, 20'000},
                                 shape{100'000'000, 500'000, 11, 1100}}) {
            const auto taken = life_of(how, seed, in_place);
            std::uint64_t any = 0;
            const counted_memory aside; // memory that cannot be grown into
            const auto expected = life_of(how, seed, any);
            ASSERT_EQ(taken.size(), expected.size());
            for (std::size_t i = 0; i < taken.size(); ++i) {
                ASSERT_EQ(taken[i], expected[i]) << how.line_keys << " " << how.growth << ", moment " << i;
            }
        }
    }
    const bool can_be = heap_words::has_huge_pages() && sizeof(void*) > 4;
    EXPECT_GE(in_place, can_be ? 10u : 0u);
}

TEST(growth_in_place, takes_no_more_than_the_next_size_and_says_so) {
    if (!heap_words::has_huge_pages()) GTEST_SKIP();
    const key_family keys(3);
    elastic_blocked_spec spec;
    spec.initial_bits = 4000 * line_bits;
    auto filter = must(make<elastic_blocked_filter>(spec.started()));
    std::uint64_t at_rest = filter.memory_words();
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; filter.expansions() < 4 || filter.is_growing(); ++i) {
        const bool was_growing = filter.is_growing();
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        if (filter.is_growing()) most = std::max(most, filter.memory_words());
        EXPECT_GE(filter.memory_words(), at_rest);
        if (!was_growing || filter.is_growing()) continue;
        at_rest = filter.memory_words();
        // Of the first growth the old words come from malloc, and go all at once.
        const bool is_first = filter.expansions() == 1;
        EXPECT_LT(static_cast<double>(most), (is_first ? 2 : 1.1) * static_cast<double>(at_rest));
        most = 0;
    }
    // What is left behind the ends of earlier sizes is little.
    EXPECT_LT(static_cast<double>(filter.memory_words()), 1.05 * static_cast<double>(reloaded(filter).memory_words()));
}

TEST(growth_in_place, goes_on_in_a_filter_that_was_moved) {
    const key_family keys(4);
    elastic_blocked_spec spec;
    spec.initial_bits = 1500 * line_bits;
    auto filter = must(make<elastic_blocked_filter>(spec.started()));
    std::uint64_t count = 0;
    while (filter.expansions() < 6 || !filter.is_growing()) {
        ASSERT_TRUE(succeeded(filter.insert(keys[count++])));
        if (count % 1000 != 0) continue;
        elastic_blocked_filter other = std::move(filter);
        filter = std::move(other);
    }
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(filter.confirm(keys[i]) && filter.may_contain(keys[i]));
    EXPECT_EQ(snapshot_of(reloaded(filter)), snapshot_of(filter));
}

} // namespace
} // namespace everbloom
