// The elastic blocked filter: growing from one block, verified removals, counted copies, limits, sizes up and down, files from the
// middle of a growth.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/reloaded.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/model/elastic/elastic_blocked.hpp>

#include <gtest/gtest.h>

#include <bit>

namespace everbloom {
namespace {

using namespace support;

elastic_blocked_spec one_block() {
    elastic_blocked_spec spec;
    spec.initial_bits = line_bits;
    return spec.started();
}

elastic_blocked_filter make_filter(const elastic_blocked_spec& spec) {
    return must(make<elastic_blocked_filter>(spec));
}

/// Inserts the keys [from, to) of a family, all of which find room.
void fill(elastic_blocked_filter& filter, const key_family& keys, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) ASSERT_TRUE(succeeded(filter.insert(keys[i]))) << i;
}

std::uint64_t missing(const elastic_blocked_filter& filter, const key_family& keys, std::uint64_t from,
                      std::uint64_t to) {
    std::uint64_t count = 0;
    for (std::uint64_t i = from; i < to; ++i) count += filter.may_contain(keys[i]) && filter.confirm(keys[i]) ? 0 : 1;
    return count;
}

std::uint64_t ones(const elastic_blocked_filter& filter) {
    std::uint64_t count = 0;
    filter.for_each_block([&](std::span<const std::uint64_t, line_words> block, double) {
        for (const std::uint64_t word : block) count += static_cast<std::uint64_t>(std::popcount(word));
    });
    return count;
}

/// Of its sections.
std::uint64_t word_count(const elastic_blocked_filter& filter) {
    std::uint64_t count = 0;
    for (const auto& words : filter.sections()) count += words.size();
    return count;
}

TEST(elastic_blocked, grows_from_one_block_and_leaves_no_bit_behind) {
    const key_family keys(1);
    constexpr std::uint64_t count = 20'000;
    auto filter = make_filter(one_block());
    for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        if (i % 997 != 0) continue;
        ASSERT_EQ(missing(filter, keys, 0, i + 1), 0u) << "after " << i;
    }
    EXPECT_EQ(filter.keys(), count);
    EXPECT_GT(filter.expansions(), 10u);
    for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(filter.erase(keys[i]), erase_outcome::removed) << i;
        if (i % 997 != 0) continue;
        ASSERT_EQ(missing(filter, keys, i + 1, count), 0u) << "after " << i;
    }
    EXPECT_EQ(filter.keys(), 0u);
    EXPECT_EQ(ones(filter), 0u);
}

TEST(elastic_blocked, adds_and_removals_in_any_order_agree_with_a_multiset) {
    const key_family keys(2);
    dice random(3);
    auto filter = make_filter(one_block());
    std::vector<std::uint64_t> truth(3000, 0);
    for (int i = 0; i < 60'000; ++i) {
        const std::uint64_t key = random.below(truth.size());
        // Keys come in waves, so that it grows, empties, and grows again over the frontier it left.
        if (random.below(100) < (i / 10'000 % 2 == 0 ? 70u : 30u)) {
            ASSERT_TRUE(succeeded(filter.insert(keys[key])));
            ++truth[key];
        } else {
            ASSERT_EQ(filter.erase(keys[key]), truth[key] > 0 ? erase_outcome::removed : erase_outcome::not_present);
            truth[key] -= truth[key] > 0 ? 1 : 0;
        }
        if (i % 5'000 == 0) filter = reloaded(filter);
    }
    for (std::uint64_t key = 0; key < truth.size(); ++key) {
        ASSERT_EQ(filter.estimate_count(keys[key]), truth[key]);
        ASSERT_TRUE(truth[key] == 0 || filter.may_contain(keys[key]));
    }
}

TEST(elastic_blocked, removing_an_absent_key_is_refused_and_changes_nothing) {
    const key_family members(4);
    const key_family absent(5);
    auto filter = make_filter(one_block());
    fill(filter, members, 0, 5'000);
    const auto before = snapshot_of(filter);
    std::uint64_t false_positives = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        false_positives += filter.may_contain(absent[i]) ? 1 : 0;
        ASSERT_EQ(filter.erase(absent[i]), erase_outcome::not_present);
    }
    EXPECT_GT(false_positives, 0u) << "some of them looked like members";
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(elastic_blocked, one_key_a_million_times_takes_no_more_room_and_makes_nothing_grow) {
    const key_family keys(6);
    auto filter = make_filter(one_block());
    std::uint64_t words = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[0])));
        if (i == 2) words = snapshot_of(filter).size();
    }
    EXPECT_EQ(snapshot_of(filter).size(), words);
    EXPECT_EQ(filter.expansions(), 0u);
    EXPECT_EQ(filter.estimate_count(keys[0]), 1'000'000u);
    while (filter.estimate_count(keys[0]) < hash_page<std::uint64_t>::most_copies) {
        ASSERT_EQ(filter.insert(keys[0]), insert_outcome::inserted_counted);
    }
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(keys[0]), insert_outcome::full_counter);
    EXPECT_EQ(snapshot_of(filter), before);
    // A count that fits once fits at any size.
    for (int i = 0; i < 6; ++i) must(filter.grow());
    EXPECT_EQ(filter.estimate_count(keys[0]), hash_page<std::uint64_t>::most_copies);
}

TEST(elastic_blocked, a_limit_refuses_growth_and_loses_no_key) {
    const key_family keys(7);
    elastic_blocked_spec spec = one_block();
    spec.most_bits = 8 * line_bits;
    auto filter = make_filter(spec);
    std::uint64_t taken = 0;
    while (succeeded(filter.insert(keys[taken]))) ++taken;
    EXPECT_EQ(taken, spec.keys_for(spec.most_bits));
    const auto before = snapshot_of(filter);
    EXPECT_EQ(filter.insert(keys[taken]), insert_outcome::growth_refused);
    EXPECT_EQ(snapshot_of(filter), before);
    EXPECT_EQ(missing(filter, keys, 0, taken), 0u);
    EXPECT_EQ(filter.insert(keys[0]), insert_outcome::inserted_counted) << "a copy needs no room";
}

TEST(elastic_blocked, hashes_used_up_refuse_growth_and_lose_no_key) {
    const key_family keys(8);
    elastic_blocked_spec spec = one_block();
    spec.word_bits = 28; // 2^10 keys
    auto filter = make_filter(spec);
    std::uint64_t taken = 0;
    while (succeeded(filter.insert(keys[taken]))) ++taken;
    EXPECT_EQ(taken, 1024u);
    EXPECT_EQ(filter.insert(keys[taken]), insert_outcome::growth_refused);
    EXPECT_EQ(missing(filter, keys, 0, taken), 0u);
}

TEST(elastic_blocked, the_rate_stays_while_it_grows) {
    const key_family keys(9);
    auto filter = make_filter(must(elastic_blocked_model::plan({20'000, 0.01})));
    fill(filter, keys, 0, 20'000);
    double lowest = 1;
    double highest = 0;
    for (std::uint64_t i = 20'000; i < 160'000; ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        if (i % 1'000 != 0) continue;
        const double rate = elastic_blocked_model::measure(filter).fpr;
        lowest = std::min(lowest, rate);
        highest = std::max(highest, rate);
    }
    EXPECT_GT(filter.expansions(), 4u);
    EXPECT_LT(highest, 0.0115);
    EXPECT_GT(lowest, 0.0075);
}

TEST(elastic_blocked, the_slow_part_takes_no_more_than_58_bits_a_key) {
    const key_family keys(10);
    auto filter = make_filter(must(elastic_blocked_model::plan({10'000, 0.001})));
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        if (i < 10'000 || i % 500 != 0) continue;
        const auto bits = elastic_blocked_model::growth(filter).slow_bits;
        ASSERT_LE(static_cast<double>(bits) / static_cast<double>(i), 58) << i;
    }
}

TEST(elastic_blocked, says_what_memory_it_holds_while_it_grows) {
    const key_family keys(9);
    auto filter = make_filter(one_block());
    double worst = 0;
    std::uint64_t most = 0;
    for (std::uint64_t count = 0; count < 1'500'000; ++count) {
        const bool was_growing = filter.is_growing();
        ASSERT_TRUE(succeeded(filter.insert(keys[count])));
        most = filter.is_growing() ? std::max(most, filter.memory_words()) : most;
        if (!was_growing || filter.is_growing()) continue;
        if (count > 800'000)
            worst = std::max(worst, static_cast<double>(most) / static_cast<double>(filter.memory_words()));
        most = 0;
    }
    EXPECT_GT(worst, 1.0) << "no growth was measured";
    // Memory that is not mapped is there at once, old and new.
    EXPECT_LT(worst, heap_words::has_huge_pages() ? 1.1 : 2.0);
    while (!filter.is_growing() || filter.spec().moved < 50) ASSERT_TRUE(succeeded(filter.insert(keys[filter.keys()])));
    const auto loaded = reloaded(filter);
    EXPECT_GE(loaded.memory_words(), word_count(filter)) << "less than its file";
    EXPECT_LT(static_cast<double>(loaded.memory_words()), 1.1 * static_cast<double>(filter.memory_words()));
}

TEST(elastic_blocked, no_insertion_moves_more_than_a_few_pages) {
    const key_family keys(11);
    auto filter = make_filter(must(elastic_blocked_model::plan({20'000, 0.01})));
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        const std::uint64_t before = filter.spec().moved;
        ASSERT_TRUE(succeeded(filter.insert(keys[i])));
        const std::uint64_t after = filter.spec().moved;
        if (after > before) most = std::max(most, after - before);
    }
    EXPECT_GE(most, 1u);
    EXPECT_LE(most, 2u);
}

TEST(elastic_blocked, takes_on_any_size_and_any_number_of_hashes) {
    const key_family keys(12);
    auto filter = make_filter(must(elastic_blocked_model::plan({3'000, 0.01})));
    fill(filter, keys, 0, 3'000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(succeeded(filter.insert(keys[7])));
    for (const double rate : {0.001, 0.1, 1e-6, 0.03, 0.01}) {
        const auto wanted = must(elastic_blocked_model::plan(
            {4'000, rate}, {.hashes = 0, .line_keys = 0, .word_bits = filter.spec().word_bits}));
        must(filter.resize(wanted));
        EXPECT_EQ(filter.spec().bits, wanted.bits);
        EXPECT_EQ(filter.spec().hashes, wanted.hashes);
        EXPECT_EQ(missing(filter, keys, 0, 3'000), 0u);
        EXPECT_LE(elastic_blocked_model::measure(filter).fpr, 1.1 * rate);
    }
    EXPECT_EQ(filter.keys(), 3'000u);
    EXPECT_EQ(filter.estimate_count(keys[7]), 501u);
    const auto before = snapshot_of(filter);
    elastic_blocked_spec too_small = filter.spec();
    EXPECT_EQ(filter.resize(too_small.at_rest_with(line_bits)).error().reason, failure_reason::no_room);
    elastic_blocked_spec longer_word = filter.spec();
    ++longer_word.word_bits;
    EXPECT_EQ(filter.resize(longer_word).error().reason, failure_reason::mismatch);
    EXPECT_EQ(snapshot_of(filter), before);
    elastic_blocked_spec shorter_word = filter.spec();
    --shorter_word.word_bits;
    must(filter.resize(shorter_word));
    EXPECT_EQ(missing(filter, keys, 0, 3'000), 0u);
}

TEST(elastic_blocked, the_same_keys_in_another_order_make_the_same_bytes) {
    const key_family keys(13);
    const auto spec = must(elastic_blocked_model::plan({2'000, 0.01}));
    auto forwards = make_filter(spec);
    auto backwards = make_filter(spec);
    fill(forwards, keys, 0, 2'000);
    for (std::uint64_t i = 2'000; i-- > 0;) ASSERT_TRUE(succeeded(backwards.insert(keys[i])));
    for (std::uint64_t i = 2'000; i < 2'900; ++i) ASSERT_TRUE(succeeded(backwards.insert(keys[i])));
    for (std::uint64_t i = 2'000; i < 2'900; ++i) ASSERT_EQ(backwards.erase(keys[i]), erase_outcome::removed);
    must(forwards.resize(spec));
    must(backwards.resize(spec));
    EXPECT_EQ(snapshot_of(forwards), snapshot_of(backwards));
}

TEST(elastic_blocked, unites_filters_of_different_sizes_and_counts_copies) {
    const key_family keys(14);
    auto small = make_filter(one_block());
    auto large = make_filter(one_block());
    fill(small, keys, 0, 300);
    fill(large, keys, 200, 4'000);
    must(small.merge(large));
    EXPECT_EQ(small.keys(), 4'000u);
    EXPECT_EQ(small.copies(), 4'100u);
    EXPECT_EQ(missing(small, keys, 0, 4'000), 0u);
    EXPECT_EQ(small.estimate_count(keys[250]), 2u);
    for (std::uint64_t i = 0; i < 4'000; ++i) ASSERT_EQ(small.erase(keys[i]), erase_outcome::removed);
    EXPECT_EQ(small.keys(), 100u);

    // Different numbers of hash bits: the smaller is what both have.
    for (const std::uint64_t word_bits : {40u, 56u}) {
        elastic_blocked_spec spec = one_block();
        spec.word_bits = word_bits;
        auto other = make_filter(spec);
        fill(other, keys, 5'000, 5'500);
        const std::uint64_t before = small.keys();
        must(small.merge(other));
        EXPECT_EQ(small.keys(), before + 500);
        EXPECT_EQ(small.spec().word_bits, 40u);
        EXPECT_EQ(missing(small, keys, 5'000, 5'500), 0u);
        must(other.intersect(small));
        EXPECT_EQ(other.keys(), 500u);
        for (std::uint64_t i = 5'000; i < 5'500; ++i) ASSERT_EQ(small.erase(keys[i]), erase_outcome::removed);
    }
}

TEST(elastic_blocked, keeps_the_keys_of_both_when_intersected) {
    const key_family keys(15);
    auto left = make_filter(one_block());
    auto right = make_filter(one_block());
    fill(left, keys, 0, 3'000);
    fill(right, keys, 2'000, 2'500);
    fill(right, keys, 2'000, 2'100);
    must(left.intersect(right));
    EXPECT_EQ(left.keys(), 500u);
    EXPECT_EQ(left.copies(), 500u);
    EXPECT_EQ(missing(left, keys, 2'000, 2'500), 0u);
    for (std::uint64_t i = 0; i < 2'000; ++i) ASSERT_FALSE(left.confirm(keys[i]));
}

TEST(elastic_blocked, a_file_from_the_middle_of_a_growth_goes_on_growing) {
    const key_family keys(16);
    auto filter = make_filter(must(elastic_blocked_model::plan({5'000, 0.01})));
    std::uint64_t count = 0;
    while (!filter.is_growing() || filter.spec().moved < 10) ASSERT_TRUE(succeeded(filter.insert(keys[count++])));
    auto loaded = reloaded(filter);
    EXPECT_EQ(snapshot_of(loaded), snapshot_of(filter));
    for (std::uint64_t i = count; i < 3 * count; ++i) {
        ASSERT_EQ(loaded.insert(keys[i]), filter.insert(keys[i]));
    }
    EXPECT_EQ(snapshot_of(loaded), snapshot_of(filter));
    EXPECT_EQ(missing(loaded, keys, 0, 3 * count), 0u);
}

TEST(elastic_blocked, cleared_in_the_middle_of_a_growth_it_starts_over) {
    const key_family keys(19);
    auto filter = make_filter(must(elastic_blocked_model::plan({5'000, 0.01})));
    std::uint64_t count = 0;
    while (!filter.is_growing() || filter.spec().moved < 10) ASSERT_TRUE(succeeded(filter.insert(keys[count++])));
    filter.clear();
    EXPECT_EQ(ones(filter), 0u);
    EXPECT_EQ(filter.keys(), 0u);
    EXPECT_FALSE(filter.is_growing());
    fill(filter, keys, count, 2 * count);
    EXPECT_EQ(missing(filter, keys, count, 2 * count), 0u);
}

TEST(elastic_blocked, bits_that_do_not_match_the_stored_hashes_are_refused) {
    const key_family keys(17);
    auto filter = make_filter(must(elastic_blocked_model::plan({500, 0.01})));
    while (!filter.is_growing() || filter.spec().moved < 2) ASSERT_TRUE(succeeded(filter.insert(keys[filter.keys()])));
    const auto sections = filter.sections();
    dice random(18);
    for (int attempt = 0; attempt < 300; ++attempt) {
        std::array<heap_words, elastic_blocked_filter::section_names.size()> stores;
        for (std::size_t i = 0; i < stores.size(); ++i) {
            stores[i] = must(heap_words::make(sections[i].size() / line_words));
            std::copy(sections[i].begin(), sections[i].end(), stores[i].data());
        }
        const std::size_t section = random.below(2) == 0 ? 1 : 2 * random.below(3); // blocks and pages, old and new
        if (stores[section].words() == 0) continue;
        const std::uint64_t word = random.below(stores[section].words());
        if (section == 0 && word < line_words) continue; // the block that the frontier cuts may have more bits
        stores[section].data()[word] ^= std::uint64_t{1} << random.below(64);
        EXPECT_FALSE(elastic_blocked_filter::assemble(filter.spec(), std::move(stores)).has_value())
            << "section " << section << " word " << word;
    }
}

} // namespace
} // namespace everbloom
