// The positions of an item: pinned to numbers, because files depend on them, and compared with the naive definition.
#include "support/dice.hpp"
#include "support/key_family.hpp"

#include <everbloom/probe/positions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using list = std::vector<std::uint64_t>;

constexpr digest item{0x0123456789abcdef, 0x8badf00d5eedc0de};

list get(const position_list& positions) { return {positions.get().begin(), positions.get().end()}; }

// Worked out from the comment of positions.hpp with another program. A change here makes every stored filter lose its keys.
TEST(positions, of_double_hashing_are_pinned) {
    EXPECT_EQ(get(position_list::all(item, {1000, 8, probe_scheme::double_hashing})),
              (list{4, 550, 713, 113, 367, 93, 909, 433}));
    EXPECT_EQ(get(position_list::all(item, {std::uint64_t{1} << 40, 8, probe_scheme::double_hashing})),
              (list{4886718345, 604805362920, 784747936710, 124738368931, 403823844350, 102516664406, 999864013866,
                    476866566394}));
}

TEST(positions, of_the_independent_scheme_are_pinned) {
    EXPECT_EQ(get(position_list::all(item, {1000, 8, probe_scheme::independent})),
              (list{119, 429, 451, 865, 607, 889, 386, 567}));
    EXPECT_EQ(get(position_list::all(item, {std::uint64_t{1} << 40, 8, probe_scheme::independent})),
              (list{130858203939, 472702501803, 496535990829, 951682369478, 667626127296, 977469285669, 425413980405,
                    624266951482}));
}

// By the definition of the program `bloom` (docs/convert.md), with another program.
TEST(positions, of_the_scheme_of_dot_bloom_files_are_pinned) {
    EXPECT_EQ(get(position_list::all(item, bloom_probing{{1000, 8, probe_scheme::dcso}})),
              (list{122, 678, 882, 782, 234, 982, 34, 374}));
    EXPECT_EQ(get(position_list::all(item, bloom_probing{{std::uint64_t{1} << 40, 8, probe_scheme::dcso}})),
              (list{301817153050, 833299791054, 738560284138, 272919216190, 403415555130, 19316885294, 210797825290,
                    400273681822}));
    // A hash above the prime is taken modulo it first.
    EXPECT_EQ(get(position_list::all({0, ~std::uint64_t{0}}, bloom_probing{{1000, 3, probe_scheme::dcso}})),
              (list{414, 738, 494}));
}

class positions_of_scheme : public ::testing::TestWithParam<probe_scheme> {};

TEST_P(positions_of_scheme, distinct_drops_repetitions_and_keeps_the_order) {
    const support::key_family keys(11);
    support::dice random(12);
    std::uint64_t repetitions = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        // From one cell, where all positions are equal, to ranges where repetitions are rare.
        const std::uint64_t range = 1 + random.below(std::uint64_t{1} << random.below(12));
        const auto hashes = static_cast<unsigned>(1 + random.below(max_hashes));
        list naive;
        for (const std::uint64_t at : get(position_list::all(keys[i], {range, hashes, GetParam()}))) {
            ASSERT_LT(at, range);
            if (std::find(naive.begin(), naive.end(), at) == naive.end()) naive.push_back(at);
        }
        ASSERT_EQ(get(position_list::distinct(keys[i], {range, hashes, GetParam()})), naive);
        repetitions += hashes - naive.size();
    }
    EXPECT_GT(repetitions, 10000u) << "the test did not meet what it is about";
}

TEST_P(positions_of_scheme, visiting_gives_the_same_positions_one_by_one) {
    const support::key_family keys(13);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const probing how{12345, max_hashes, GetParam()};
        list visited;
        for_each_position(keys[i], how, [&](std::uint64_t at) { visited.push_back(at); });
        ASSERT_EQ(visited, get(position_list::all(keys[i], how)));
    }
}

TEST_P(positions_of_scheme, asking_for_all_stops_at_the_first_that_fails) {
    const probing how{1000, 7, GetParam()};
    const list positions = get(position_list::all(item, how));
    for (std::size_t fails = 0; fails <= positions.size(); ++fails) {
        std::size_t asked = 0;
        EXPECT_EQ(
            all_positions(item, how, [&](std::uint64_t at) { return at == positions[asked] && asked++ != fails; }),
            fails == positions.size());
        EXPECT_EQ(asked, std::min(fails + 1, positions.size()));
    }
}

TEST_P(positions_of_scheme, a_copy_is_the_same_list) {
    const position_list original = position_list::all(item, {99, 5, GetParam()});
    position_list copy;
    EXPECT_TRUE(copy.get().empty());
    copy = original;
    EXPECT_EQ(get(copy), get(original));
    EXPECT_EQ(get(position_list(copy)), get(original));
}

// Each position alone is spread over the range like a random one: 64 slots, 1e5 keys, about 1562 in each, spread 40.
TEST_P(positions_of_scheme, every_position_fills_the_range_evenly) {
    const support::key_family keys(14);
    constexpr std::uint64_t count = 100000;
    constexpr unsigned hashes = 8;
    std::vector<std::vector<unsigned>> slots(hashes, std::vector<unsigned>(64, 0));
    for (std::uint64_t i = 0; i < count; ++i) {
        std::size_t place = 0;
        for_each_position(keys[i], {64, hashes, GetParam()}, [&](std::uint64_t at) { ++slots[place++][at]; });
    }
    for (const auto& slot : slots) {
        const auto [least, most] = std::minmax_element(slot.begin(), slot.end());
        EXPECT_GT(*least, 1562 - 7 * 40u);
        EXPECT_LT(*most, 1562 + 7 * 40u);
    }
}

INSTANTIATE_TEST_SUITE_P(both, positions_of_scheme,
                         ::testing::Values(probe_scheme::double_hashing, probe_scheme::independent),
                         [](const auto& scheme) {
                             return scheme.param == probe_scheme::double_hashing ? "double_hashing" : "independent";
                         });

// A "no" must be sure: whatever two places hold the same position, it is noticed.
TEST(may_repeat, notices_every_equal_pair) {
    for (unsigned fours = 1; fours <= max_hashes / 4; ++fours) {
        for (unsigned i = 0; i < 4 * fours; ++i) {
            for (unsigned j = 0; j < i; ++j) {
                std::array<std::uint64_t, max_hashes> positions{};
                for (unsigned place = 0; place < max_hashes; ++place) positions[place] = 1000 + place;
                ASSERT_FALSE(may_repeat(positions.data(), fours));
                positions[i] = positions[j] = (std::uint64_t{7} << 40) + 3;
                ASSERT_TRUE(may_repeat(positions.data(), fours)) << i << " and " << j << " of " << 4 * fours;
            }
        }
    }
}

} // namespace
} // namespace everbloom
