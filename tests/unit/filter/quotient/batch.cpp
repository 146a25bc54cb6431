// Batches of keys in vectors against the same keys one by one: places at every level and frontier, and answers.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/quotient/quotient.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::key_family;
using support::must;
using support::rounds;
using support::snapshot_of;

#if defined(EVERBLOOM_MODERN_X86)
TEST(quotient_batch, places_are_those_of_each_key) {
    if (!kernel::fast_pdep) GTEST_SKIP() << "this processor goes key by key";
    dice random(1);
    for (const std::uint64_t rows :
         {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1000}, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32,
          (std::uint64_t{1} << 33) + 5}) {
        for (const std::uint64_t bits : {8, 10, 20}) {
            for (const std::uint64_t level : {0, 1, 5, 12}) {
                quotient_spec spec{.initial_lines = rows, .rows = rows, .buckets = 43, .remainder_bits = bits};
                spec.level = std::min(level, spec.most_level());
                spec.frontier = spec.level == spec.most_level() ? 0 : random.below(rows << spec.level);
                for (const bool grows : {false, true}) {
                    if (!grows) spec.level = spec.frontier = 0;
                    const quotient_places places(spec);
                    for (std::size_t count = 0; count <= quotient_batch::most_keys; ++count) {
                        std::vector<digest> keys(count);
                        for (digest& key : keys) key = {random.word(), random.word()};
                        quotient_batch::places found;
                        quotient_batch::locate(places, keys, found);
                        for (std::size_t i = 0; i < count; ++i) {
                            const auto expected = places.locate<table_state::growing>(keys[i]);
                            ASSERT_EQ(found[i].unpacked(), expected.one) << rows << ' ' << bits << ' ' << spec.level;
                            ASSERT_EQ(found[i + quotient_batch::most_keys].unpacked(), expected.other)
                                << rows << ' ' << bits << ' ' << spec.level;
                        }
                    }
                }
            }
        }
    }
}
#endif

TEST(quotient_batch, answers_are_those_of_each_key_while_it_grows) {
    const auto keys = key_family(31).first(30'000);
    const auto others = key_family(32).first(30'000);
    auto filter = must(make<quotient_filter>(
        quotient_spec{.initial_lines = 5, .rows = 5, .buckets = 43, .remainder_bits = 13}.started()));
    dice random(2);
    std::size_t held = 0;
    while (held < keys.size()) {
        const std::size_t more = std::min<std::size_t>(1 + random.below(700), keys.size() - held);
        std::vector<insert_outcome> outcomes(more);
        filter.insert(std::span(keys).subspan(held, more), outcomes);
        for (const insert_outcome outcome : outcomes) ASSERT_TRUE(succeeded(outcome));
        held += more;
        // Members and others mixed, so that no answer follows from the one before.
        std::vector<digest> asked;
        for (std::size_t i = 0; i < 1 + random.below(300); ++i) {
            asked.push_back(random.below(2) == 0 ? keys[random.below(held)] : others[random.below(others.size())]);
        }
        std::vector<std::uint8_t> answers(asked.size(), 7);
        filter.may_contain(asked, answers);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            ASSERT_EQ(answers[i], filter.may_contain(asked[i]) ? 1 : 0) << held;
            ASSERT_EQ(answers[i] != 0, filter.estimate_count(asked[i]) != 0) << held; // which goes the portable way
        }
    }
    std::vector<std::uint8_t> answers(keys.size());
    filter.may_contain(keys, answers);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<std::ptrdiff_t>(keys.size()));
}

TEST(quotient_batch, single_answers_from_a_table_larger_than_the_cache_are_those_of_a_line) {
    const auto members = key_family(34).first(60'000);
    const auto others = key_family(35).first(60'000);
    constexpr std::uint64_t rows = 40'000; // 2.4 MiB
    for (const std::uint64_t lines : {rows, rows + rows / 3}) {
        const quotient_spec spec{.initial_lines = lines, .rows = rows, .buckets = 16, .remainder_bits = 9};
        auto filter = must(make<quotient_filter>(spec.started()));
        std::vector<insert_outcome> outcomes(members.size());
        filter.insert(members, outcomes);
        std::vector<const std::uint64_t*> units;
        filter.sections()[0].for_each_run([&](std::span<const std::uint64_t> run) {
            for (std::size_t word = 0; word < run.size(); word += chunked_words::unit_lines * line_words) {
                units.push_back(run.data() + word);
            }
        });
        [[maybe_unused]] const lines_in_units<const std::uint64_t> words(units.data());
        std::size_t found = 0;
        for (const auto& keys : {members, others}) {
            for (const digest& key : keys) {
                const bool expected = filter.estimate_count(key) != 0; // which goes the portable way
                found += expected ? 1 : 0;
                ASSERT_EQ(filter.may_contain(key), expected);
#if defined(EVERBLOOM_MODERN_X86)
                if (!kernel::fast_pdep) continue;
                ASSERT_EQ(quotient_batch::holds<table_state::growing>(filter.places(), words, key), expected);
#endif
            }
        }
        EXPECT_GT(found, members.size()); // some of the others, too
    }
}

TEST(quotient_batch, leaves_the_same_lines_behind_as_its_keys_one_by_one_while_it_grows_and_shrinks) {
    auto keys = key_family(33).first(rounds(40'000));
    // Some of them again and again: copies, and removals of which either line could do.
    for (std::size_t i = 100; i < keys.size(); i += 17) keys[i] = keys[i % 64];
    const auto spec = quotient_spec{.initial_lines = 5, .rows = 5, .buckets = 43, .remainder_bits = 16}.started();
    auto batched = must(make<quotient_filter>(spec));
    auto single = must(make<quotient_filter>(spec));
    dice random(3);
    const auto for_some = [&](auto act) {
        for (std::size_t done = 0; done < keys.size();) {
            const std::size_t more = std::min<std::size_t>(1 + random.below(900), keys.size() - done);
            ASSERT_NO_FATAL_FAILURE(act(std::span(keys).subspan(done, more)));
            done += more;
            ASSERT_EQ(batched.spec(), single.spec()) << done;
            if (random.below(4) == 0) {
                ASSERT_EQ(snapshot_of(batched), snapshot_of(single)) << done;
            }
        }
        ASSERT_EQ(snapshot_of(batched), snapshot_of(single));
    };
    ASSERT_NO_FATAL_FAILURE(for_some([&](std::span<const digest> some) {
        std::vector<insert_outcome> outcomes(some.size());
        batched.insert(some, outcomes);
        for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(single.insert(some[i]), outcomes[i]) << i;
    }));
    ASSERT_GT(batched.spec().level, 1u);
    ASSERT_NO_FATAL_FAILURE(for_some([&](std::span<const digest> some) {
        std::vector<erase_outcome> outcomes(some.size());
        batched.erase(some, outcomes);
        for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(single.erase(some[i]), outcomes[i]) << i;
    }));
    EXPECT_EQ(batched.keys(), 0u);
    EXPECT_EQ(batched.spec().lines(), 5u);
}

} // namespace
} // namespace everbloom
