// Small numbers without a bit between them, of every width, against a plain vector.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/packed_cells.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;

packed_cells<heap_words> make_cells(std::uint64_t cells, unsigned width) {
    return {cells, width, must(heap_words::make(lines_for_bits(cells * width)))};
}

class packed_cells_of_width : public ::testing::TestWithParam<unsigned> {};

TEST_P(packed_cells_of_width, agree_with_a_vector_and_leave_neighbours_alone) {
    constexpr std::uint64_t cells = 333; // with every width that does not divide 64, many cells lie across two words
    const unsigned width = GetParam();
    auto packed = make_cells(cells, width);
    std::vector<std::uint64_t> truth(cells, 0);
    dice random(width);
    for (int step = 0; step < 5000; ++step) {
        const std::uint64_t at = random.below(cells);
        switch (random.below(4)) {
        case 0: {
            truth[at] = random.word() & low_mask(width);
            packed.set(at, truth[at]);
            break;
        }
        case 1: {
            truth[at] = std::min(truth[at] + 1, low_mask(width));
            ASSERT_EQ(packed.increment(at), truth[at]);
            break;
        }
        case 2: {
            truth[at] -= truth[at] == 0 ? 0 : 1;
            ASSERT_EQ(packed.decrement(at), truth[at]);
            break;
        }
        default: ASSERT_EQ(packed.get(at), truth[at]);
        }
        for (const std::uint64_t neighbour : {(at + cells - 1) % cells, (at + 1) % cells}) {
            ASSERT_EQ(packed.get(neighbour), truth[neighbour]);
        }
    }
    for (std::uint64_t i = 0; i < cells; ++i) ASSERT_EQ(packed.get(i), truth[i]) << i;
}

// The view is compiled anew for the widths that filters use most, and must be the same there; and its unchecked sums, for those
// who know that they fit, must not reach into a neighbour.
TEST_P(packed_cells_of_width, add_and_subtract_within_a_cell) {
    const unsigned width = GetParam();
    constexpr std::uint64_t cells = 100;
    auto packed = make_cells(cells, width);
    std::vector<std::uint64_t> truth(cells, 0);
    dice random(1000 + width);
    packed.with_view([&](auto view) {
        EXPECT_EQ(view.largest(), low_mask(width));
        EXPECT_EQ(view.cell_bits(), width);
        for (int step = 0; step < 2000; ++step) {
            const std::uint64_t at = random.below(cells);
            const std::uint64_t target = random.word() & low_mask(width);
            if (target >= truth[at]) {
                view.add_within(at, target - truth[at]);
            } else {
                view.subtract_within(at, truth[at] - target);
            }
            truth[at] = target;
            EXPECT_EQ(view.get(at), target);
        }
    });
    for (std::uint64_t at = 0; at < cells; ++at) ASSERT_EQ(std::as_const(packed).view().get(at), truth[at]) << at;
}

TEST_P(packed_cells_of_width, saturate_at_both_ends) {
    const unsigned width = GetParam();
    auto packed = make_cells(70, width);
    for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{33}, std::uint64_t{69}}) {
        EXPECT_EQ(packed.decrement(at), 0u);
        packed.set(at, packed.largest());
        EXPECT_EQ(packed.increment(at), packed.largest());
        EXPECT_EQ(packed.get(at), low_mask(width));
        EXPECT_EQ(packed.decrement(at), low_mask(width) - 1);
        packed.set(at, 0);
    }
    const auto* words = packed.store().data();
    EXPECT_TRUE(std::all_of(words, words + packed.store().words(), [](auto word) { return word == 0; }));
}

TEST_P(packed_cells_of_width, lie_at_bit_index_times_width) {
    const unsigned width = GetParam();
    auto packed = make_cells(200, width);
    for (std::uint64_t at = 0; at < 200; ++at) {
        packed.set(at, packed.largest());
        for (unsigned bit = 0; bit < width; ++bit) {
            std::uint64_t& word = packed.store().data()[(at * width + bit) / 64];
            const std::uint64_t mask = std::uint64_t{1} << ((at * width + bit) % 64);
            ASSERT_NE(word & mask, 0u) << "cell " << at << ", bit " << bit;
            word &= ~mask;
        }
        const auto* words = packed.store().data();
        ASSERT_TRUE(std::all_of(words, words + packed.store().words(), [](auto word) { return word == 0; })) << at;
    }
}

INSTANTIATE_TEST_SUITE_P(every_width, packed_cells_of_width, ::testing::Range(1u, max_cell_bits + 1));

TEST(packed_cells, have_room_behind_the_2_to_the_32nd_bit) {
    constexpr std::uint64_t far = (std::uint64_t{1} << 32) / 3 + 7;
    auto packed = make_cells(far + 1, 3);
    packed.set(far, 5);
    EXPECT_EQ(packed.get(far), 5u);
    EXPECT_EQ(packed.get(far - 1), 0u);
    EXPECT_EQ(packed.get((far * 3 - (std::uint64_t{1} << 32)) / 3), 0u); // where a 32-bit product would point
}

} // namespace
} // namespace everbloom
