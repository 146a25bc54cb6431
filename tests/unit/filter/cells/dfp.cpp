// The D-FP filter: Figure 2 of the paper to the bit, and what fingerprints prove.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/cells/dfp.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

constexpr two_bit_spec figure_2{.bits = 24, .hashes = 3};

/// A digest that lies in exactly these cells of the figure's filter and has this fingerprint: found by trying.
digest item_at(const std::set<std::uint64_t>& cells, std::uint64_t fingerprint) {
    const key_family keys(77);
    for (std::uint64_t i = 0;; ++i) {
        const auto positions = position_list::distinct(keys[i], {12, 3, figure_2.scheme()});
        const std::set<std::uint64_t> found(positions.get().begin(), positions.get().end());
        if (found == cells && dfp_cells<const std::uint64_t>::tag(keys[i]) == fingerprint) return keys[i];
    }
}

dfp_filter filter_with(const std::vector<std::uint64_t>& cells) {
    auto words = must(heap_words::make(1));
    for (std::size_t i = 0; i < cells.size(); ++i) words.data()[0] |= cells[i] << (2 * i);
    std::array<heap_words, 1> stores{std::move(words)};
    return must(dfp_filter::assemble(figure_2, std::move(stores)));
}

std::vector<std::uint64_t> cells_of(const dfp_filter& filter) {
    std::vector<std::uint64_t> cells;
    for (std::uint64_t i = 0; i < filter.cells(); ++i) cells.push_back(filter.cell(i));
    return cells;
}

TEST(dfp, figure_2_of_the_paper_holds_to_the_bit) {
    using cells = std::vector<std::uint64_t>;
    auto filter = filter_with({0b00, 0b10, 0b01, 0b11, 0b00, 0b00, 0b01, 0b01, 0b11, 0b11, 0b01, 0b10});

    const digest x = item_at({0, 3, 10}, 0b01);
    EXPECT_EQ(filter.insert(x), insert_outcome::inserted_saturated); // two of its cells are 11 now
    EXPECT_EQ(cells_of(filter), (cells{0b01, 0b10, 0b01, 0b11, 0b00, 0b00, 0b01, 0b01, 0b11, 0b11, 0b11, 0b10}));

    const digest y = item_at({2, 6, 7}, 0b01);
    EXPECT_EQ(filter.erase(y), erase_outcome::removed);
    const cells after_y{0b01, 0b10, 0b00, 0b11, 0b00, 0b00, 0b00, 0b00, 0b11, 0b11, 0b11, 0b10};
    EXPECT_EQ(cells_of(filter), after_y);

    const digest z = item_at({3, 8, 9}, 0b10);
    EXPECT_TRUE(filter.may_contain(z));
    EXPECT_EQ(filter.can_erase(z), erase_outcome::not_deletable);
    EXPECT_EQ(filter.erase(z), erase_outcome::not_deletable);
    EXPECT_EQ(cells_of(filter), after_y);
}

TEST(dfp, a_foreign_fingerprint_proves_absence_and_refuses_a_removal) {
    auto filter = must(make<dfp_filter>(figure_2));
    filter.insert(item_at({0, 1, 2}, 0b01));
    const digest stranger = item_at({0, 1, 2}, 0b10);
    const auto before = snapshot_of(filter);
    EXPECT_FALSE(filter.may_contain(stranger));
    EXPECT_EQ(filter.erase(stranger), erase_outcome::not_present);
    EXPECT_EQ(snapshot_of(filter), before);
}

TEST(dfp, the_same_key_inserted_twice_stays_for_ever) {
    auto filter = must(make<dfp_filter>(figure_2));
    const digest key = item_at({4, 5, 6}, 0b10);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    EXPECT_EQ(filter.erase(key), erase_outcome::not_deletable);
    EXPECT_TRUE(filter.may_contain(key));
}

TEST(dfp, equal_positions_of_one_item_are_not_a_collision) {
    auto filter = must(make<dfp_filter>(figure_2));
    const digest key = item_at({5, 9}, 0b01);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.cell(5), 0b01u);
    EXPECT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_EQ(cells_of(filter), std::vector<std::uint64_t>(12, 0));
}

TEST(dfp, fingerprints_are_shared_out_evenly) {
    const key_family keys(5);
    std::uint64_t first = 0;
    constexpr std::uint64_t many = 100000;
    for (std::uint64_t i = 0; i < many; ++i) first += dfp_cells<const std::uint64_t>::tag(keys[i]) == 0b01 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(first) / many, 0.5, 0.01); // six standard deviations
}

} // namespace
} // namespace everbloom
