// Formulas against numbers worked out by hand, and against small cases that can be counted.
#include "support/key_family.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/bloom/blocked.hpp>
#include <everbloom/model/bloom/bloom.hpp>
#include <everbloom/model/cells/counting.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace everbloom {
namespace {

TEST(saturating_cells, without_counting_are_the_bits_of_a_bloom_filter) {
    const saturating_cells bits{0.5, 0.7, 0};
    EXPECT_NEAR(bits.empty(), std::exp(-0.5), 1e-15) << "nothing can be removed from bits";
    EXPECT_EQ(bits.lone(), 0);
    EXPECT_EQ(bits.free(), 0);
    EXPECT_NEAR(bits.stuck(), 1 - std::exp(-0.5), 1e-15);
}

// L = 1, d = 1/2: of ternary cells 1.5/e are empty, 1/(2e) hold one item, 1/e are free for a member; of quaternary ones 1.625/e,
// 0.75/e and 2/e.
TEST(saturating_cells, give_the_values_worked_out_by_hand) {
    const double e = std::exp(1.0);
    const saturating_cells ternary{1, 0.5, 1};
    EXPECT_NEAR(ternary.empty(), 1.5 / e, 1e-15);
    EXPECT_NEAR(ternary.lone(), 0.5 / e, 1e-15);
    EXPECT_NEAR(ternary.free(), 1 / e, 1e-15);
    EXPECT_NEAR(ternary.stuck(), 1 - 2 / e, 1e-15);
    const saturating_cells quaternary{1, 0.5, 2};
    EXPECT_NEAR(quaternary.empty(), 1.625 / e, 1e-15);
    EXPECT_NEAR(quaternary.lone(), 0.75 / e, 1e-15);
    EXPECT_NEAR(quaternary.free(), 2 / e, 1e-15);
    EXPECT_NEAR(quaternary.stuck(), 1 - 2.5 / e, 1e-15);
}

TEST(saturating_cells, wide_counters_forget_everything_that_left) {
    const saturating_cells wide{1, 0.5, low_mask(32) - 1};
    EXPECT_NEAR(wide.empty(), std::exp(-0.5), 1e-12) << "as if only the half that stayed had come";
    EXPECT_NEAR(wide.free(), 1, 1e-12);
}

TEST(at_least_one, is_one_minus_the_power) {
    EXPECT_NEAR(at_least_one(0.25, 3), 1 - 0.75 * 0.75 * 0.75, 1e-15);
    EXPECT_NEAR(at_least_one(1e-18, 4), 4e-18, 1e-30) << "exact where 1 - share is 1";
    EXPECT_EQ(at_least_one(1, 5), 1);
    EXPECT_EQ(at_least_one(0, 5), 0);
}

TEST(exponential_sum, converges_to_the_exponential) {
    EXPECT_EQ(exponential_sum(0, 10), 1);
    EXPECT_EQ(exponential_sum(3, 0), 1);
    EXPECT_DOUBLE_EQ(exponential_sum(3, 2), 1 + 3 + 4.5);
    EXPECT_NEAR(exponential_sum(20, 1000) / std::exp(20), 1, 1e-12);
}

TEST(line_occupancy, counts_what_can_be_counted) {
    // One bit per key: a stranger's bit is one of 512 B.
    EXPECT_NEAR(line_occupancy(1).fpr(100, 7), 1 - std::pow(1 - 1 / (512.0 * 7), 100), 1e-14);
    // One key, one line, two bits: same start of the run (1/8), same bit in both lanes (1/64 each).
    EXPECT_NEAR(line_occupancy(2).fpr(1, 1), 1.0 / 8 / 64 / 64, 1e-15);
    EXPECT_EQ(line_occupancy(8).fpr(0, 5), 0);
    EXPECT_NEAR(line_occupancy(16).fpr(1e6, 1), 1, 1e-9);
}

TEST(blocked_plan, meets_the_rate_with_the_fewest_lines) {
    for (const double rate : {0.1, 0.01, 0.001, 1e-5}) {
        const auto spec = blocked_model::plan({10000, rate});
        ASSERT_TRUE(spec.has_value());
        EXPECT_LE(*blocked_model::predict(*spec, {10000}).fpr, rate);
        blocked_spec one_less = *spec;
        one_less.bits -= line_bits;
        EXPECT_GT(*blocked_model::predict(one_less, {10000}).fpr, rate);
    }
}

TEST(bloom_plan, is_the_sizing_rule) {
    const auto spec = bloom_model::plan({1000, 0.001});
    ASSERT_TRUE(spec.has_value());
    EXPECT_EQ(spec->bits, 14378u); // ceil(1000 ln 1000 / (ln 2)^2)
    EXPECT_EQ(spec->hashes, 10u);
    const auto with_three = bloom_model::plan({1000, 0.001}, {.hashes = 3});
    ASSERT_TRUE(with_three.has_value());
    EXPECT_EQ(with_three->bits, 28474u); // ceil(-3000 / ln(1 - 0.1))
}

constexpr std::uint64_t dot_bloom = static_cast<std::uint64_t>(probe_scheme::dcso);

// What the program `bloom` made of these numbers: create -n N -p P, then show.
TEST(bloom_plan, for_dot_bloom_files_is_that_of_their_program) {
    EXPECT_EQ(*bloom_model::plan({1000, 1e-6}, {.probe = dot_bloom}), (bloom_spec{28755, 20, dot_bloom}));
    EXPECT_EQ(*bloom_model::plan({10000, 0.001}, {.probe = dot_bloom}), (bloom_spec{143775, 10, dot_bloom}));
    EXPECT_EQ(*bloom_model::plan({10000, 0.01}, {.probe = dot_bloom}), (bloom_spec{95850, 7, dot_bloom}));
}

TEST(bloom_plan, never_links_the_positions_of_dot_bloom_files) {
    EXPECT_EQ((bloom_spec{65536, 10, dot_bloom}.rounded_up()), (bloom_spec{65537, 10, dot_bloom}));
    EXPECT_EQ((bloom_spec{1, 1, dot_bloom}.rounded_up()), (bloom_spec{3, 1, dot_bloom}));
    EXPECT_EQ((bloom_spec{65536, 10, 0}.rounded_up()), (bloom_spec{65536, 10, 0}));
    for (std::uint64_t items = 1; items < 200; ++items) {
        EXPECT_FALSE(bloom_model::plan({items, 0.3}, {.probe = dot_bloom})->has_linked_positions()) << items;
    }
}

TEST(bloom_rate, of_linked_positions_is_found_by_asking) {
    auto filter = *make<bloom_filter>({65536, 10, dot_bloom});
    const support::key_family keys(7);
    for (std::uint64_t i = 0; i < 4500; ++i) filter.insert(keys[i]);
    std::uint64_t found = 0;
    constexpr std::uint64_t strangers = 100000;
    for (std::uint64_t i = 0; i < strangers; ++i) found += filter.may_contain(keys[1000000 + i]) ? 1 : 0;
    const double rate = static_cast<double>(found) / strangers;
    EXPECT_GT(rate, 0.15); // where the formula for ten positions says 0.1 %
    EXPECT_NEAR(bloom_model::measure(filter).fpr, rate, 0.01);
    EXPECT_FALSE(bloom_model::predict(filter.spec(), {.items = 4500}).fpr.has_value());
}

TEST(counting_plan, has_as_many_counters_as_a_bloom_filter_has_bits) {
    const auto spec = counting_model::plan({1000, 0.001}, {.counter_bits = 6});
    ASSERT_TRUE(spec.has_value());
    // A few more, because the share of occupied cells varies between filters: no prediction is above the target.
    EXPECT_GE(spec->cells(), 14378u);
    EXPECT_LE(spec->cells(), 14390u);
    EXPECT_EQ(spec->bits, 6 * spec->cells());
    EXPECT_LE(*counting_model::predict(*spec, {.items = 1000}).fpr, 0.001);
}

TEST(size_cells, refuses_what_no_machine_holds) {
    const auto refused = size_cells({std::numeric_limits<std::uint64_t>::max(), 1e-300});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
    EXPECT_NE(refused.error().sentence.find("fewer items"), std::string::npos);
}

TEST(best_hashes, stays_between_one_and_the_largest) {
    EXPECT_EQ(best_hashes(1, 1000), 1u);
    EXPECT_EQ(best_hashes(1'000'000, 1), max_hashes);
    EXPECT_EQ(best_hashes(9585, 1000), 7u);
}

TEST(occupancy, items_are_read_back_from_occupied_cells) {
    for (const double items : {1.0, 10.0, 1000.0, 5000.0}) {
        const double empty = std::exp(7 * items * std::log1p(-1 / 10000.0));
        EXPECT_NEAR(items_for_occupied(10000 * (1 - empty), 10000, 7) / items, 1, 1e-6);
    }
    EXPECT_TRUE(std::isfinite(items_for_occupied(100, 100, 3))) << "a full array says only: at least";
}

} // namespace
} // namespace everbloom
