// The process of the buckets of a d-left table: as full as the fluid limit says, and it refuses a key only if all of its buckets are full.
#include "lab/papers/dleft/bucket_process.hpp"

#include <everbloom/model/dleft/dleft_fluid.hpp>

#include <gtest/gtest.h>

namespace everbloom::support {
namespace {

using namespace lab::dleft;

TEST(bucket_process, fills_its_buckets_as_the_fluid_limit_says) {
    constexpr std::uint64_t trials = 5;
    std::array<double, 9> seen{};
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        bucket_process process(trial_randomness(1, trial));
        ASSERT_TRUE(process.fill(items_at_6));
        ASSERT_TRUE(process.churn(churn_steps / 4));
        for (unsigned load = 0; load < seen.size(); ++load) seen[load] += process.at_least(load) / trials;
    }
    const auto fluid = dleft_fluid_limit::solve(subtables, 6, 9, dleft_regime::steady_state);
    for (unsigned load = 0; load < seen.size(); ++load) {
        EXPECT_NEAR(seen[load], fluid.at_least(load), 0.004) << load; // four standard deviations of 40,960 buckets
    }
}

TEST(bucket_process, keeps_the_number_of_keys_and_refuses_when_no_bucket_has_room) {
    bucket_process process(trial_randomness(1, 0));
    ASSERT_TRUE(process.fill(items_at_6));
    ASSERT_TRUE(process.churn(1000));
    double keys = 0;
    for (unsigned load = 1; load <= bucket_process::bucket_cells; ++load) {
        keys += process.at_least(load) * static_cast<double>(all_buckets);
    }
    EXPECT_DOUBLE_EQ(keys, static_cast<double>(items_at_6));
    bucket_process crowded(trial_randomness(1, 0));
    EXPECT_FALSE(crowded.fill(bucket_process::bucket_cells * all_buckets + 1));
}

} // namespace
} // namespace everbloom::support
