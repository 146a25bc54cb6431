// Plans of yes-no filters, and the quick model of how full their no-filters become, against filters that were really built.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/model/yes_no/yes_no.hpp>
#include <everbloom/model/yes_no/yes_no_expectation.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

struct built_many {
    double vetoed = 0; // share of the keys that the no-filters veto, by their ones
    double left = 0;   // known negatives that come back, per filter
};

built_many build_plans(const yes_no_spec& spec, std::uint64_t members, std::uint64_t negatives, std::uint64_t trials) {
    built_many seen;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        const auto built =
            must(build_yes_no(spec, key_family(2 * trial).first(members), key_family(2 * trial + 1).first(negatives)));
        seen.vetoed += yes_no_model::vetoed_share(built.filter, 0) / static_cast<double>(trials);
        seen.left += static_cast<double>(built.report.false_positives_after) / static_cast<double>(trials);
    }
    return seen;
}

TEST(yes_no_filling, says_how_many_absent_keys_the_no_filters_veto) {
    struct setting {
        yes_no_spec spec;
        std::uint64_t members;
        std::uint64_t negatives;
    };
    for (const auto& [given, members, negatives] :
         {setting{{.yes_bits = 160, .yes_hashes = 4, .no_filters = 3, .no_bits = 32, .no_hashes = 5}, 30, 100},
          setting{{.yes_bits = 192, .yes_hashes = 4, .no_filters = 2, .no_bits = 32, .no_hashes = 3}, 28, 100},
          setting{{.yes_bits = 2000, .yes_hashes = 5, .no_filters = 2, .no_bits = 64, .no_hashes = 4}, 250, 400}}) {
        yes_no_spec spec = given;
        spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
        const double rate = *yes_no_model::predict(spec, {members}).fpr;
        const yes_no_filling said(spec, static_cast<double>(members), rate * static_cast<double>(negatives));
        const built_many seen = build_plans(spec, members, negatives, 1000);
        // What matters is the share that passes: within one and a half per cent of it.
        EXPECT_NEAR(1 - said.vetoed_share, 1 - seen.vetoed, 0.015) << spec.yes_bits;
        EXPECT_GT(seen.vetoed, 0.004) << "nothing to tell apart";
    }
}

// No-filters that are full: critical zeros keep the rest out, however many come.
TEST(yes_no_filling, knows_that_no_filters_become_full) {
    struct setting {
        yes_no_spec spec;
        std::uint64_t members;
        std::uint64_t negatives;
    };
    for (const auto& [given, members, negatives] :
         {setting{{.yes_bits = 160, .yes_hashes = 4, .no_filters = 3, .no_bits = 32, .no_hashes = 5}, 30, 1000},
          setting{{.yes_bits = 192, .yes_hashes = 4, .no_filters = 2, .no_bits = 32, .no_hashes = 3}, 30, 1000},
          setting{{.yes_bits = 160, .yes_hashes = 4, .no_filters = 2, .no_bits = 48, .no_hashes = 3}, 30, 800},
          setting{{.yes_bits = 200, .yes_hashes = 5, .no_filters = 4, .no_bits = 64, .no_hashes = 4}, 30, 3000},
          setting{{.yes_bits = 160, .yes_hashes = 4, .no_filters = 3, .no_bits = 32, .no_hashes = 5}, 60, 100}}) {
        yes_no_spec spec = given;
        spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
        const double rate = yes_no_expectation::yes_rate(spec, members);
        const yes_no_filling said(spec, static_cast<double>(members), rate * static_cast<double>(negatives));
        const built_many seen = build_plans(spec, members, negatives, 300);
        EXPECT_NEAR((1 - said.vetoed_share) / (1 - seen.vetoed), 1, 0.1) << spec.yes_bits << " " << negatives;
        EXPECT_NEAR(said.left / seen.left, 1, 0.12) << spec.yes_bits << " " << negatives;
        EXPECT_GT(seen.left, 3) << "not full";
    }
}

TEST(yes_no_filling, without_no_filters_leaves_every_false_positive) {
    const yes_no_filling said({.yes_bits = 100, .no_filters = 0}, 30, 7.5);
    EXPECT_EQ(said.left, 7.5);
    EXPECT_EQ(said.vetoed_share, 0);
}

TEST(yes_no_filling, takes_any_number_of_false_positives) {
    const yes_no_filling many({.yes_bits = 100'000, .no_filters = 2, .no_bits = 100'000, .no_hashes = 8}, 4096, 5000);
    EXPECT_GT(many.vetoed_share, 0);
    EXPECT_LT(many.vetoed_share, 1);
    EXPECT_TRUE(std::isfinite(many.left));
}

TEST(poisson, chances_sum_to_one_and_means_are_means) {
    for (const double mean : {0.5, 7.9, 4096.0}) {
        EXPECT_NEAR(mean_over_poisson(mean, [](double) { return 1.0; }), 1, 1e-12);
        EXPECT_NEAR(mean_over_poisson(mean, [](double count) { return count; }), mean, 1e-9 * mean);
        EXPECT_NEAR(mean_over_poisson(mean, [](double count) { return count * count; }), mean * mean + mean,
                    1e-9 * mean * mean + 1e-6);
    }
    EXPECT_NEAR(poisson_chance(2, 3), 8.0 / 6 * std::exp(-2), 1e-15);
    EXPECT_EQ(poisson_chance(0, 0), 1);
    EXPECT_EQ(poisson_chance(0, 1), 0);
}

/// The bits of [Carrea16 §V], used better than there.
TEST(a_yes_no_filter_that_fits_its_bits, leaves_a_third_of_what_the_papers_parameters_leave) {
    const yes_no_spec planned = must(yes_no_model::plan(
        {30}, {.yes_hashes = 0, .no_bits = 0, .no_hashes = 0, .parts = 0, .bits = 256, .negatives = 100}));
    EXPECT_EQ(planned.structure_bits(), 256u);
    EXPECT_EQ(planned.bits, 256u);
    EXPECT_TRUE(planned.check());
    yes_no_spec papers{.yes_bits = 160, .yes_hashes = 4, .no_filters = 3, .no_bits = 32, .no_hashes = 5};
    constexpr std::uint64_t trials = 4000;
    const double ours = build_plans(planned, 30, 100, trials).left;
    const double theirs = build_plans(papers, 30, 100, trials).left;
    EXPECT_GT(theirs, 0.010); // 0.018 +- 0.002
    EXPECT_LT(ours, theirs / 3);
}

TEST(a_yes_no_filter_that_fits_its_bits, leaves_no_more_than_a_plain_bloom_filter) {
    for (const std::uint64_t members : {20, 60, 120}) {
        for (const std::uint64_t negatives : {50, 800}) {
            yes_no_spec wanted{
                .yes_hashes = 0, .no_bits = 0, .no_hashes = 0, .parts = 0, .bits = 256, .negatives = negatives};
            const yes_no_spec planned = must(yes_no_model::plan({members}, wanted));
            wanted.no_filters = 0;
            const yes_no_spec plain = must(yes_no_model::plan({members}, wanted));
            const double ours = build_plans(planned, members, negatives, 30).left;
            const double theirs = build_plans(plain, members, negatives, 30).left;
            EXPECT_LE(ours, 1.05 * theirs + 0.3) << members << " members, " << negatives << " negatives";
        }
    }
}

TEST(a_yes_no_filter_that_fits_its_bits, keeps_what_is_given) {
    const yes_no_spec planned = must(yes_no_model::plan(
        {30}, {.yes_hashes = 3, .no_bits = 0, .no_hashes = 5, .parts = 0, .bits = 256, .negatives = 100}));
    EXPECT_EQ(planned.yes_hashes, 3u);
    EXPECT_EQ(planned.structure_bits(), 256u);
    EXPECT_GT(planned.no_filters, 0u);
    EXPECT_EQ(planned.no_hashes, 5u);
    const yes_no_spec plain = must(yes_no_model::plan(
        {30},
        {.yes_hashes = 0, .no_filters = 0, .no_bits = 0, .no_hashes = 0, .parts = 0, .bits = 256, .negatives = 100}));
    EXPECT_EQ(plain.no_filters, 0u);
    EXPECT_EQ(plain.yes_bits, 256u);
}

TEST(a_yes_no_filter_that_fits_its_bits, protects_a_large_list_too) {
    constexpr std::uint64_t members = 20'000;
    const yes_no_spec planned = must(yes_no_model::plan(
        {members},
        {.yes_hashes = 0, .no_bits = 0, .no_hashes = 0, .parts = 0, .bits = 10 * members, .negatives = members}));
    EXPECT_LE(planned.structure_bits(), 10 * members);
    EXPECT_GT(planned.structure_bits(), 10 * members - planned.parts);
    const auto built = must(build_yes_no(planned, key_family(1).first(members), key_family(2).first(members)));
    EXPECT_GT(built.report.false_positives_before, 100u);
    EXPECT_LE(built.report.false_positives_after, 2u);
}

TEST(a_yes_no_filter_that_fits_its_bits, is_refused_if_they_are_too_few) {
    const auto refused = yes_no_model::plan({1'000'000}, {.parts = 0, .bits = 1000});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence.find("at least 16"), std::string::npos);
}

TEST(a_planned_yes_no_filter, has_room_for_the_negatives_it_was_planned_for) {
    for (const std::uint64_t members : {100u, 5000u, 60'000u}) {
        for (const double fpr : {0.01, 0.001}) {
            const yes_no_spec spec = must(yes_no_model::plan({members, fpr}));
            const auto negatives = key_family(2).first(spec.negatives);
            const auto built = must(build_yes_no(spec, key_family(1).first(members), negatives));
            EXPECT_LE(built.report.false_positives_after, 1u) << members << " " << fpr;
        }
    }
}

} // namespace
} // namespace everbloom
