// Filters whose cells stick: collision, ternary (both cell forms), quaternary and fingerprint counting, by example.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/filter/cells/collision.hpp>
#include <everbloom/filter/cells/fingerprint_counting.hpp>
#include <everbloom/filter/cells/quaternary.hpp>
#include <everbloom/filter/cells/ternary.hpp>
#include <everbloom/filter/make.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

constexpr std::uint64_t packed = 0;
constexpr std::uint64_t twobit = 1;

/// Applies the same operations to two filters and compares what they say and what their cells are.
template <class A, class B>
void behave_alike(A first, B second) {
    ASSERT_EQ(first.cells(), second.cells());
    const key_family keys(9);
    for (std::uint64_t i = 0; i < 400; ++i) ASSERT_EQ(first.insert(keys[i]), second.insert(keys[i]));
    for (std::uint64_t i = 0; i < 800; i += 2) ASSERT_EQ(first.erase(keys[i]), second.erase(keys[i])) << i;
    for (std::uint64_t i = 0; i < 4000; ++i) ASSERT_EQ(first.may_contain(keys[i]), second.may_contain(keys[i]));
    for (std::uint64_t i = 0; i < first.cells(); ++i) ASSERT_EQ(first.cell(i), second.cell(i)) << i;
}

TEST(sticky_family, packed_and_two_bit_ternary_cells_behave_alike) {
    behave_alike(must(make<ternary_filter>({1600, 3, packed})), must(make<ternary_filter>({2000, 3, twobit})));
}

TEST(sticky_family, a_collision_array_behaves_like_ternary_cells) {
    behave_alike(must(make<collision_filter>({2000, 3})), must(make<ternary_filter>({2000, 3, twobit})));
}

TEST(sticky_family, five_ternary_cells_take_one_byte) {
    EXPECT_EQ((ternary_spec{.bits = 80, .hashes = 1, .cells_form = packed}.cells()), 50u);
    EXPECT_EQ((ternary_spec{.bits = 87, .hashes = 1, .cells_form = packed}.cells()), 50u);
    EXPECT_EQ((ternary_spec{.bits = 80, .hashes = 1, .cells_form = twobit}.cells()), 40u);
}

TEST(sticky_family, a_quaternary_cell_counts_to_two_and_sticks_at_three) {
    const digest key = key_family(1)[0];
    auto filter = must(make<quaternary_filter>({2000, 3}));
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.estimate_count(key), 2u);
    EXPECT_EQ(filter.erase(key), erase_outcome::removed_still_positive);
    EXPECT_EQ(filter.erase(key), erase_outcome::removed);
    EXPECT_FALSE(filter.may_contain(key));
    for (int copy = 0; copy < 2; ++copy) filter.insert(key);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    EXPECT_EQ(filter.erase(key), erase_outcome::not_deletable);
    EXPECT_TRUE(filter.may_contain(key));
}

TEST(sticky_family, a_removed_quaternary_key_that_others_cover_says_so) {
    // One cell: everybody shares it.
    auto filter = must(make<quaternary_filter>({2, 1}));
    const key_family keys(2);
    filter.insert(keys[0]);
    filter.insert(keys[1]);
    EXPECT_EQ(filter.erase(keys[0]), erase_outcome::removed_still_positive);
    EXPECT_TRUE(filter.may_contain(keys[0]));
    EXPECT_EQ(filter.erase(keys[1]), erase_outcome::removed);
}

TEST(sticky_family, a_lone_fingerprint_refuses_strangers) {
    const key_family keys(3);
    auto filter = must(make<fingerprint_counting_filter>({12, 1, 4, 8})); // one cell
    filter.insert(keys[0]);
    std::uint64_t believed = 0;
    for (std::uint64_t i = 1; i <= 25600; ++i) believed += filter.may_contain(keys[i]) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(believed), 100.0, 60.0); // one in 2^8; six standard deviations
    filter.insert(keys[1]);
    EXPECT_TRUE(filter.may_contain(keys[2])) << "two items in the cell: its fingerprint tells nothing";
    EXPECT_EQ(filter.erase(keys[1]), erase_outcome::removed);
    EXPECT_TRUE(filter.may_contain(keys[0]));
    EXPECT_FALSE(filter.may_contain(keys[1]));
}

TEST(sticky_family, a_stuck_fingerprint_counter_forgets_its_fingerprint_and_stays) {
    const digest key = key_family(4)[0];
    auto filter =
        must(make<fingerprint_counting_filter>({.bits = 6, .hashes = 1, .counter_bits = 2, .fingerprint_bits = 4}));
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    const auto stuck = snapshot_of(filter);
    EXPECT_EQ(filter.sections()[0][0], 3u);
    EXPECT_EQ(filter.insert(key), insert_outcome::inserted_saturated);
    EXPECT_EQ(filter.erase(key), erase_outcome::not_deletable);
    EXPECT_EQ(snapshot_of(filter), stuck);
}

template <class F, std::size_t Parts>
failure_reason refusal_of(const typename F::spec_type& spec, const std::array<std::uint64_t, Parts>& first_words) {
    std::array<heap_words, Parts> stores;
    for (std::size_t i = 0; i < Parts; ++i) {
        stores[i] = must(heap_words::make(F::section_lines(spec)[i]));
        stores[i].data()[0] = first_words[i];
    }
    const auto made = F::assemble(spec, std::move(stores));
    EXPECT_FALSE(made.has_value());
    return made ? failure_reason::busy : made.error().reason;
}

TEST(sticky_family, cells_that_no_operation_makes_are_refused) {
    const std::array<std::uint64_t, 1> four_values{0b1100};
    EXPECT_EQ((refusal_of<ternary_filter, 1>({2000, 3, twobit}, four_values)), failure_reason::damaged);
    const std::array<std::uint64_t, 1> byte_243{243};
    EXPECT_EQ((refusal_of<ternary_filter, 1>({1600, 3, packed}, byte_243)), failure_reason::damaged);
    const std::array<std::uint64_t, 2> flag_without_bit{0b01, 0b10};
    EXPECT_EQ((refusal_of<collision_filter, 2>({2000, 3}, flag_without_bit)), failure_reason::damaged);
    const std::array<std::uint64_t, 1> fingerprint_of_nobody{0b10000};
    EXPECT_EQ((refusal_of<fingerprint_counting_filter, 1>({800, 3}, fingerprint_of_nobody)), failure_reason::damaged);
}

} // namespace
} // namespace everbloom
