// Removal: keys that were never added are noticed by the absent ones among them; and what more keys do to the deletable share.
#include "support/must.hpp"

#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/jobs/deletability_forecast.hpp>
#include <everbloom/jobs/removal.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using support::must;

std::vector<digest> numbered(std::uint64_t from, std::uint64_t count) {
    std::vector<digest> made(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        made[i] = any_hasher(hash_id::siphash, hash_key::from_seed(9))(from + i);
    }
    return made;
}

any_filter holding(const std::string& kind, const std::vector<digest>& keys, double fpr) {
    any_filter made = must(build({kind, keys.size(), fpr, {}}));
    std::vector<insert_outcome> outcomes(keys.size());
    must(made.insert(keys, outcomes));
    return made;
}

TEST(removal, of_members_is_done) {
    const auto keys = numbered(0, 1000);
    any_filter filter = holding("counting", keys, 0.05);
    const erase_tally gone = must(remove_members(filter, std::span(keys).first(600)));
    EXPECT_EQ(gone.successes(), 600U);
    for (const digest& one : std::span(keys).subspan(600)) EXPECT_TRUE(filter.may_contain(one));
}

TEST(removal, of_keys_that_were_never_added_is_refused_and_changes_nothing) {
    const auto keys = numbered(0, 1000);
    any_filter filter = holding("counting", keys, 0.05);
    const auto refused = remove_members(filter, numbered(5000, 1000)); // about 50 false positives
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, failure_reason::mismatch);
    EXPECT_NE(refused.error().sentence.find("never added either"), std::string::npos) << refused.error().sentence;
    EXPECT_EQ(refused.error().sentence.find("--"), std::string::npos);
    for (const digest& one : keys) EXPECT_TRUE(filter.may_contain(one));
    EXPECT_EQ(must(remove_members(filter, keys)).successes(), 1000U);
}

TEST(removal, evidence_counts_and_estimates) {
    const auto keys = numbered(0, 1000);
    const any_filter filter = holding("counting", keys, 0.05);
    removal_evidence evidence(filter);
    EXPECT_NEAR(evidence.risk(), 0.05, 0.02);
    EXPECT_FALSE(evidence.is_verified());
    for (int i = 0; i < 10; ++i) evidence.add(erase_outcome::removed);
    EXPECT_TRUE(evidence.check());
    EXPECT_EQ(evidence.never_added(), 0);
    for (int i = 0; i < 95; ++i) evidence.add(erase_outcome::not_present);
    EXPECT_NEAR(evidence.never_added(), 95 * evidence.risk() / (1 - evidence.risk()), 1e-9);
    EXPECT_FALSE(evidence.check());
    EXPECT_EQ(evidence.tally().all(), 105U);
}

TEST(removal, is_verified_by_kinds_with_stored_hashes) {
    const auto keys = numbered(0, 1000);
    any_filter filter = holding("elastic_blocked", keys, 0.05);
    EXPECT_TRUE(removal_evidence(filter).is_verified());
    const erase_tally gone = must(remove_members(filter, numbered(500, 1000)));
    EXPECT_EQ(gone.successes(), 500U);
    EXPECT_EQ(gone.of(erase_outcome::not_present), 500U);
}

TEST(removal, of_a_kind_that_cannot_is_a_failure) {
    any_filter filter = holding("bloom", numbered(0, 10), 0.01);
    EXPECT_EQ(remove_members(filter, numbered(0, 1)).error().reason, failure_reason::unsupported);
}

TEST(deletability_forecast, falls_with_more_keys) {
    const any_filter filter = holding("ternary", numbered(0, 1000), 0.01);
    const measurement now = filter.measure();
    ASSERT_TRUE(now.deletable_share);
    const auto unchanged = forecast_deletability(filter, now, 0);
    const auto doubled = forecast_deletability(filter, now, 1000);
    ASSERT_TRUE(unchanged && doubled);
    EXPECT_NEAR(*unchanged, *now.deletable_share, 0.02);
    EXPECT_LT(*doubled, *unchanged);
    EXPECT_GE(*doubled, 0);
}

TEST(deletability_forecast, needs_keys_and_a_kind_that_removes) {
    const any_filter empty = must(build({"ternary", 1000, 0.01, {}}));
    EXPECT_FALSE(forecast_deletability(empty, empty.measure(), 10));
    const any_filter bloom = holding("bloom", numbered(0, 10), 0.01);
    EXPECT_FALSE(forecast_deletability(bloom, bloom.measure(), 10));
}

} // namespace
} // namespace everbloom
