// Moving runs of bits, against moving them one by one.
#include "support/dice.hpp"
#include "support/rounds.hpp"

#include <everbloom/bits/bit_move.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace everbloom {
namespace {

using support::dice;

constexpr std::uint64_t words = 12;
using array_of_bits = std::vector<bool>;
using packed = std::array<std::uint64_t, words>;

array_of_bits unpacked(const packed& from) {
    array_of_bits made;
    for (std::uint64_t i = 0; i < words * 64; ++i) made.push_back((from[i / 64] >> (i % 64) & 1) != 0);
    return made;
}

packed random_words(dice& random) {
    packed made;
    for (std::uint64_t& word : made) word = random.word();
    return made;
}

/// Two places in order.
std::pair<std::uint64_t, std::uint64_t> range_below(dice& random, std::uint64_t limit) {
    const std::uint64_t one = random.below(limit + 1);
    const std::uint64_t other = random.below(limit + 1);
    return {std::min(one, other), std::max(one, other)};
}

TEST(bit_move, up_is_what_moving_one_by_one_is) {
    dice random(1);
    for (std::uint64_t round = 0; round < support::rounds(20'000); ++round) {
        packed moved = random_words(random);
        array_of_bits expected = unpacked(moved);
        const std::uint64_t by = random.one_in(4) ? 64 * random.below(4) : random.below(200);
        const auto [from, end] = range_below(random, words * 64 - by);
        for (std::uint64_t i = end; i-- > from;) expected[i + by] = expected[i];
        move_bits_up(moved.data(), from, end, by);
        // What was left behind is the caller's business; everything else is exact.
        const array_of_bits found = unpacked(moved);
        for (std::uint64_t i = 0; i < words * 64; ++i) {
            if (i >= from && i < std::min(end, from + by)) continue;
            ASSERT_EQ(found[i], expected[i]) << "bit " << i << ", [" << from << ", " << end << ") by " << by;
        }
    }
}

TEST(bit_move, down_is_what_moving_one_by_one_is) {
    dice random(2);
    for (std::uint64_t round = 0; round < support::rounds(20'000); ++round) {
        packed moved = random_words(random);
        array_of_bits expected = unpacked(moved);
        const std::uint64_t by = random.one_in(4) ? 64 * random.below(4) : random.below(200);
        auto [from, end] = range_below(random, words * 64 - by);
        from += by;
        end += by;
        for (std::uint64_t i = from; i < end; ++i) expected[i - by] = expected[i];
        move_bits_down(moved.data(), from, end, by);
        const array_of_bits found = unpacked(moved);
        for (std::uint64_t i = 0; i < words * 64; ++i) {
            if (i >= std::max(from, end - std::min(by, end)) && i < end) continue;
            ASSERT_EQ(found[i], expected[i]) << "bit " << i << ", [" << from << ", " << end << ") by " << by;
        }
    }
}

TEST(bit_move, an_empty_run_and_a_way_of_zero_change_nothing) {
    dice random(4);
    const packed before = random_words(random);
    packed moved = before;
    move_bits_up(moved.data(), 70, 70, 5);
    move_bits_up(moved.data(), 70, 200, 0);
    move_bits_down(moved.data(), 70, 70, 5);
    move_bits_down(moved.data(), 70, 200, 0);
    EXPECT_EQ(moved, before);
}

} // namespace
} // namespace everbloom
