// From a hash to an index: always in range, never decreasing, and the mixing function that is a bijection.
#include "support/dice.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace everbloom {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(reduce, uses_the_whole_range_and_nothing_outside) {
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000},
                                      (std::uint64_t{1} << 32) + 1, std::uint64_t{1} << 56, largest}) {
        EXPECT_EQ(reduce(0, range), 0u);
        EXPECT_EQ(reduce(largest, range), range - 1);
    }
}

TEST(reduce, never_decreases_with_the_hash) {
    support::dice random(4);
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t range = random.word() >> random.below(64);
        const std::uint64_t a = random.word();
        const std::uint64_t b = random.word();
        ASSERT_LE(reduce(std::min(a, b), range), reduce(std::max(a, b), range)) << a << ' ' << b << ' ' << range;
    }
}

TEST(reduce, divides_the_hashes_evenly) {
    std::vector<unsigned> counts(10, 0);
    for (std::uint64_t i = 0; i < 10000; ++i) ++counts[reduce(i * (largest / 10000), 10)];
    for (const unsigned count : counts) EXPECT_NEAR(count, 1000, 1);
}

TEST(mix, gives_the_numbers_of_splitmix64) {
    // The outputs of SplitMix64 from state 0 are mix(i * 2^64/phi); these two are printed with its reference code.
    EXPECT_EQ(mix(0x9e3779b97f4a7c15), 0xe220a8397b1dcdafu);
    EXPECT_EQ(mix(2 * 0x9e3779b97f4a7c15), 0x6e789e6aa1b965f4u);
    EXPECT_EQ(mix(0), 0u);
}

TEST(mix, sends_different_numbers_to_different_ones) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 100000; ++i) ASSERT_TRUE(seen.insert(mix(i)).second) << i;
    for (unsigned bit = 17; bit < 64; ++bit) ASSERT_TRUE(seen.insert(mix(std::uint64_t{1} << bit)).second) << bit;
}

} // namespace
} // namespace everbloom
