// Small numbers without a bit between them, of every width, against a plain vector.
#include "support/dice.hpp"
#include "support/must.hpp"

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/cell_view.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom {
namespace {

using support::dice;
using support::must;

heap_words room_for(std::uint64_t cells, unsigned width) {
    return must(heap_words::make(lines_for_bits(cells * width)));
}

class cells_of_width : public ::testing::TestWithParam<unsigned> {};

// The view is compiled anew for the widths that filters use most, and must be the same there. Its unchecked sums, for those who know
// that they fit, must not reach into a neighbour.
TEST_P(cells_of_width, agree_with_a_vector_and_leave_neighbours_alone) {
    constexpr std::uint64_t cells = 333; // with every width that does not divide 64, many cells lie across two words
    const unsigned width = GetParam();
    heap_words words = room_for(cells, width);
    std::vector<std::uint64_t> truth(cells, 0);
    dice random(width);
    with_fixed_width(words.data(), width, [&](auto view) {
        EXPECT_EQ(view.largest(), low_mask(width));
        EXPECT_EQ(view.cell_bits(), width);
        for (int step = 0; step < 5000; ++step) {
            const std::uint64_t at = random.below(cells);
            const std::uint64_t target = random.word() & low_mask(width);
            if (random.one_in(2)) {
                view.set(at, target);
            } else if (target >= truth[at]) {
                view.add_within(at, target - truth[at]);
            } else {
                view.subtract_within(at, truth[at] - target);
            }
            truth[at] = target;
            EXPECT_EQ(view.get(at), target);
            for (const std::uint64_t neighbour : {(at + cells - 1) % cells, (at + 1) % cells}) {
                EXPECT_EQ(view.get(neighbour), truth[neighbour]);
            }
        }
    });
    const cell_view<const std::uint64_t> view(words.data(), width);
    for (std::uint64_t i = 0; i < cells; ++i) ASSERT_EQ(view.get(i), truth[i]) << i;
}

TEST_P(cells_of_width, lie_at_bit_index_times_width) {
    const unsigned width = GetParam();
    heap_words words = room_for(200, width);
    const cell_view<std::uint64_t> view(words.data(), width);
    for (std::uint64_t at = 0; at < 200; ++at) {
        view.set(at, view.largest());
        for (unsigned bit = 0; bit < width; ++bit) {
            std::uint64_t& word = words.data()[(at * width + bit) / 64];
            const std::uint64_t mask = std::uint64_t{1} << ((at * width + bit) % 64);
            ASSERT_NE(word & mask, 0u) << "cell " << at << ", bit " << bit;
            word &= ~mask;
        }
        ASSERT_TRUE(tail_is_zero(words, 0)) << at;
    }
}

INSTANTIATE_TEST_SUITE_P(every_width, cells_of_width, ::testing::Range(1u, max_cell_bits + 1));

TEST(cell_view, has_room_behind_the_2_to_the_32nd_bit) {
    constexpr std::uint64_t far = (std::uint64_t{1} << 32) / 3 + 7;
    heap_words words = room_for(far + 1, 3);
    const cell_view<std::uint64_t> view(words.data(), 3);
    view.set(far, 5);
    EXPECT_EQ(view.get(far), 5u);
    EXPECT_EQ(view.get(far - 1), 0u);
    EXPECT_EQ(view.get((far * 3 - (std::uint64_t{1} << 32)) / 3), 0u); // where a 32-bit product would point
}

} // namespace
} // namespace everbloom
