// The model of the d-left filter: Table 1 of the paper from the differential equations, and plans that hold.
#include "support/must.hpp"

#include <everbloom/model/dleft/dleft.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::must;

TEST(dleft_model, the_fluid_limit_at_load_six_is_table_1) {
    const auto solved = dleft_fluid_limit::solve(4, 6, 9, dleft_regime::steady_state);
    const std::vector<double> table{1.0000, 1.0000, 0.9999, 0.9990, 0.9920, 0.9505, 0.7669, 0.2894, 0.0023};
    for (unsigned load = 0; load < table.size(); ++load) EXPECT_NEAR(solved.at_least(load), table[load], 6e-5) << load;
    EXPECT_NEAR(solved.at_least(9) / 1.681e-27, 1, 1e-3);
}

TEST(dleft_model, the_fluid_limit_at_load_six_and_a_half_is_that_of_section_5_2) {
    const auto solved = dleft_fluid_limit::solve(4, 6.5, 9, dleft_regime::steady_state);
    EXPECT_NEAR(solved.at_least(9) / 2.205e-08, 1, 1e-3);
}

TEST(dleft_model, all_keys_are_in_some_bucket) {
    for (const auto regime : {dleft_regime::insertions_only, dleft_regime::steady_state}) {
        for (const double load : {0.5, 3.0, 6.75, 27.0}) {
            const auto solved = dleft_fluid_limit::solve(3, load, 20, regime);
            double sum = 0;
            for (unsigned i = 1; i <= solved.highest(); ++i) sum += solved.at_least(i);
            EXPECT_NEAR(sum / load, 1, 1e-5) << load;
        }
    }
}

// A full table stays as it is, whatever comes: the time of a prediction must not grow with the number of keys.
TEST(dleft_model, a_far_overloaded_table_is_predicted_at_once) {
    const dleft_spec spec{4, 2048, 8, 14, 2, 0};
    const auto near = dleft_model::predict(spec, {.items = 2'000'000});
    for (const std::uint64_t items : {std::uint64_t{100'000'000}, std::uint64_t{1} << 55}) {
        const auto far = dleft_model::predict(spec, {.items = items});
        EXPECT_NEAR(far.fpr.value() / near.fpr.value(), 1, 1e-3);
        EXPECT_NEAR(far.refusal.value(), near.refusal.value(), 1e-3);
    }
}

// The paper's simulation column (0.2868 at load 7) is the fluid limit of *distinct* fingerprints.
TEST(dleft_model, with_distinct_fingerprints_the_fluid_limit_is_the_papers_simulation) {
    const dleft_spec spec{4, 2048, 8, 14, 2, 0};
    const auto shares = dleft_model::predict_buckets(spec, {49152, 0, 20});
    const std::vector<double> simulated{1, 1.0000, 0.9999, 0.9990, 0.9920, 0.9502, 0.7655, 0.2868, 0.0022};
    for (std::size_t load = 0; load < simulated.size(); ++load)
        EXPECT_NEAR(shares[load], simulated[load], 2.5e-4) << load;
}

TEST(dleft_model, overflow_at_load_six_and_a_half_happens_in_one_of_forty_trials) {
    // 254 of 10000 trials of 2^20 steps: a standard deviation is 16.
    const double chance = dleft_model::overflow_probability({4, 2048, 8, 14, 2, 0}, 53248, 1 << 20);
    EXPECT_NEAR(chance, 0.0254, 0.003);
}

TEST(dleft_model, the_rate_is_that_of_equal_fingerprints) {
    EXPECT_NEAR(*dleft_model::predict({4, 2048, 8, 14, 2, 0}, {49152}).fpr, 0.0014637, 1e-7);
}

TEST(dleft_model, a_plan_holds_its_items_at_its_rate_and_takes_half_of_a_counting_filter) {
    for (const std::uint64_t items : {1'000, 20'000, 100'000, 1'000'000, 3'000'000, 50'000'000}) {
        for (const double rate : {0.02, 0.001, 1e-6}) {
            const auto spec = must(dleft_model::plan({items, rate}));
            EXPECT_TRUE(spec.check().has_value());
            EXPECT_LE(*dleft_model::predict(spec, {items}).fpr, rate);
            EXPECT_LE(dleft_model::overflow_probability(spec, items, 100.0 * static_cast<double>(items)),
                      dleft_model::planned_risk)
                << items;
            if (items < 10'000) continue;
            const double counting =
                4 * -static_cast<double>(items) * std::log(rate) / (std::numbers::ln2 * std::numbers::ln2);
            EXPECT_LT(static_cast<double>(spec.bits()), (rate < 0.01 ? 0.5 : 0.65) * counting) << items << " " << rate;
        }
    }
}

TEST(dleft_model, what_is_given_is_kept) {
    const auto spec = must(dleft_model::plan({1000, 0.01}, {5, 0, 7, 9, 3, 2}));
    EXPECT_EQ(spec.subtables, 5u);
    EXPECT_EQ(spec.bucket_cells, 7u);
    EXPECT_EQ(spec.remainder_bits, 9u);
    EXPECT_EQ(spec.counter_bits, 3u);
    EXPECT_EQ(spec.move, 2u);
    EXPECT_LE(*dleft_model::predict(spec, {1000}).fpr, 0.01);
}

TEST(dleft_model, what_no_fingerprint_can_tell_apart_is_refused) {
    EXPECT_FALSE(dleft_model::plan({std::uint64_t{1} << 50, 1e-6}).has_value());
}

} // namespace
} // namespace everbloom
