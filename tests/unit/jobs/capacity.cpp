// Capacity: when a filter is above it, which one a new filter gets, and the sentences.
#include "support/must.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace everbloom {
namespace {

using support::must;

constexpr capacity_target thousand{1000, 0.001};

measurement measured(double items, double fpr) {
    measurement now;
    now.items = items;
    now.fpr = fpr;
    return now;
}

TEST(capacity, is_exceeded_by_keys_and_fpr_together) {
    EXPECT_FALSE(exceeds(measured(900, 0.002), thousand)); // a higher FPR below the capacity is chance
    EXPECT_FALSE(exceeds(measured(2000, 0.001), thousand));
    EXPECT_FALSE(exceeds(measured(1000 + 2 * std::sqrt(1000.0), 0.002), thousand));
    EXPECT_TRUE(exceeds(measured(1000 + 2 * std::sqrt(1000.0) + 1, 0.002), thousand));
    EXPECT_FALSE(exceeds(measured(2000, 0.0011), thousand)); // a tenth above the target is allowed
}

TEST(capacity, is_exceeded_by_an_fpr_that_is_never_chance) {
    EXPECT_FALSE(exceeds(measured(900, 0.031), thousand));
    EXPECT_TRUE(exceeds(measured(900, 0.032), thousand));
    EXPECT_TRUE(exceeds(measured(std::numeric_limits<double>::quiet_NaN(), 1), thousand)); // all cells are occupied
}

TEST(capacity, of_nothing_is_never_exceeded) { EXPECT_FALSE(exceeds(measured(1e9, 1), {})); }

TEST(capacity, says_what_would_happen_above_it) {
    EXPECT_EQ(over_capacity("with 500 more keys", measured(1500, 0.01), thousand).sentence,
              "over its capacity of 1,000 keys at 0.100 % FPR: with 500 more keys it would hold about 1,500 keys at an "
              "FPR of 1.00 %");
    EXPECT_EQ(over_capacity("merged", measured(std::numeric_limits<double>::quiet_NaN(), 1), thousand).sentence,
              "over its capacity of 1,000 keys at 0.100 % FPR: merged its FPR would be 100 %");
}

TEST(capacity, of_a_new_filter_is_the_one_asked_for_or_predicted) {
    const any_filter planned = must(build({"bloom", 1000, 0.001, {}}));
    EXPECT_EQ(must(capacity_for(planned, geometry_source::planned, 1000, 0.001)).fpr, 0.001);
    EXPECT_EQ(must(capacity_for(planned, geometry_source::planned, 1000, {})).fpr, workload{}.fpr);
    const capacity_target predicted = must(capacity_for(planned, geometry_source::given, 1000, {}));
    EXPECT_EQ(predicted.items, 1000U);
    EXPECT_NEAR(predicted.fpr, 0.001, 0.0001);
}

TEST(capacity, that_the_geometry_cannot_reach_is_refused_in_the_words_of_the_caller) {
    const any_filter small = must(build({"bloom", {}, {}, {{"bits", "1000"}, {"hashes", "3"}}}));
    const auto refused = capacity_for(small, geometry_source::given, 1000, 0.001);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::bad_parameter);
    EXPECT_TRUE(refused.error().sentence.ends_with("above the target FPR of 0.100 %; choose a higher FPR or another "
                                                   "geometry"))
        << refused.error().sentence;
    EXPECT_NE(capacity_for(small, geometry_source::given, 1000, 0.001, "--fpr").error().sentence.find("higher --fpr"),
              std::string::npos);
}

TEST(capacity, and_state_are_sentences) {
    EXPECT_EQ(capacity_text(thousand), "1,000 keys at 0.100 % FPR");
    EXPECT_EQ(capacity_text({}), "not set");
    EXPECT_EQ(state_text(measured(1020, 0.00104), thousand),
              "about 1,020 keys, current FPR 0.104 % (capacity: 1,000 keys at 0.100 % FPR)");
    EXPECT_EQ(state_text(measured(1, 0.5), {}), "about 1 key, current FPR 50.0 %");
}

} // namespace
} // namespace everbloom
