// The table of counted copies against std::map.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/quotient/quotient_copies.hpp>

#include <gtest/gtest.h>

#include <map>

namespace everbloom {
namespace {

using support::dice;
using support::must;
using support::rounds;
using counted_copies = quotient_copies<heap_words>;

void expect_same(const counted_copies& copies, const std::map<std::uint64_t, std::uint64_t>& expected) {
    std::map<std::uint64_t, std::uint64_t> seen;
    std::uint64_t total = 0;
    copies.for_each([&](std::uint64_t number, std::uint64_t count) {
        seen[number] += count;
        total += count;
    });
    ASSERT_EQ(seen, expected);
    ASSERT_EQ(copies.total(), total);
    ASSERT_TRUE(copies.is_consistent(std::uint64_t{1} << 62));
    for (const auto& [number, count] : expected) ASSERT_EQ(copies.count(number), count);
}

TEST(quotient_copies, random_additions_and_removals_do_what_a_map_does) {
    dice random(1);
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        counted_copies copies;
        std::map<std::uint64_t, std::uint64_t> expected;
        const std::uint64_t numbers = 1 + random.below(60);
        for (int step = 0; step < 400; ++step) {
            const std::uint64_t number = random.below(numbers) << random.below(2) * 40;
            if (random.one_in(2)) {
                const std::uint64_t more = 1 + random.below(3);
                ASSERT_TRUE(copies.add(number, more));
                expected[number] += more;
            } else {
                const auto found = expected.find(number);
                ASSERT_EQ(copies.take(number), found != expected.end());
                if (found != expected.end() && --found->second == 0) expected.erase(found);
            }
            ASSERT_EQ(copies.count(number), expected.contains(number) ? expected[number] : 0);
            if (step % 16 == 0) expect_same(copies, expected);
        }
        while (!expected.empty()) {
            ASSERT_TRUE(copies.take(expected.begin()->first));
            if (--expected.begin()->second == 0) expected.erase(expected.begin());
        }
        EXPECT_EQ(copies.slots(), 0u);
        EXPECT_EQ(copies.memory_words(), 0u);
    }
}

TEST(quotient_copies, all_keys_together_have_a_limit_so_that_the_sum_cannot_overflow) {
    counted_copies copies;
    constexpr std::uint64_t half = counted_copies::most_copies / 2;
    ASSERT_TRUE(copies.add(1, half));
    ASSERT_TRUE(copies.add(2, half));
    const std::uint64_t slots = copies.slots();
    EXPECT_FALSE(copies.add(1, 1));
    EXPECT_FALSE(copies.add(3, 1));
    EXPECT_EQ(copies.total(), counted_copies::most_copies);
    EXPECT_EQ(copies.slots(), slots) << "a refusal changes nothing";
    EXPECT_TRUE(copies.take(2));
    EXPECT_TRUE(copies.add(1, 1));
    EXPECT_TRUE(copies.is_consistent(100));
}

TEST(quotient_copies, words_that_no_operation_leaves_are_noticed) {
    const auto with = [](auto change) {
        counted_copies copies;
        for (std::uint64_t number = 0; number < 20; ++number) EXPECT_TRUE(copies.add(number, number + 1));
        auto words = must(heap_words::make(counted_copies::lines_for(copies.slots())));
        std::copy(copies.words().begin(), copies.words().end(), words.data());
        change(words.data());
        return counted_copies(std::move(words), copies.slots()).is_consistent(100);
    };
    const auto used_slot = [](const std::uint64_t* words) {
        std::size_t slot = 0;
        while (words[2 * slot] == 0) ++slot;
        return 2 * slot;
    };
    const auto free_slot = [](const std::uint64_t* words) {
        std::size_t slot = 0;
        while (words[2 * slot] != 0) ++slot;
        return 2 * slot;
    };
    EXPECT_TRUE(with([](std::uint64_t*) {}));
    EXPECT_FALSE(with([&](std::uint64_t* words) { words[used_slot(words) + 1] = 0; })) << "a key without copies";
    EXPECT_FALSE(with([&](std::uint64_t* words) { words[free_slot(words) + 1] = 1; })) << "copies without a key";
    EXPECT_FALSE(with([&](std::uint64_t* words) { words[used_slot(words)] = 101; })) << "a number that is too large";
    EXPECT_FALSE(with([](std::uint64_t* words) { words[0] = words[2] = 1, words[1] = words[3] = 1; })) << "a key twice";
    EXPECT_FALSE(with([&](std::uint64_t* words) {
        for (std::size_t slot = 0; slot < 32; ++slot) {
            if (words[2 * slot] != 0) words[2 * slot + 1] = counted_copies::most_copies;
        }
    })) << "a sum above the limit";
}

} // namespace
} // namespace everbloom
