// The model of the yes-no filter: against enumerations where everything can be enumerated, against filters where it cannot.
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/model/yes_no/yes_no_first_fit.hpp>
#include <everbloom/probe/mix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace everbloom {
namespace {

using support::must;
using support::rounds;

yes_no_spec papers_spec() {
    yes_no_spec spec;
    spec.yes_bits = 160;
    spec.yes_hashes = 4;
    spec.no_filters = 3;
    spec.no_bits = 32;
    spec.no_hashes = 5;
    spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
    return spec;
}

/// The digits of a number to a base: every way to throw so many times.
std::vector<unsigned> throws_of(std::uint64_t number, std::uint64_t base, std::uint64_t count) {
    std::vector<unsigned> made;
    for (std::uint64_t i = 0; i < count; ++i, number /= base) made.push_back(static_cast<unsigned>(number % base));
    return made;
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t made = 1;
    for (; exponent > 0; --exponent) made *= base;
    return made;
}

unsigned mask_of(const std::vector<unsigned>& thrown, std::size_t from, std::size_t count) {
    unsigned mask = 0;
    for (std::size_t i = from; i < from + count; ++i) mask |= 1u << thrown[i];
    return mask;
}

TEST(yes_no_expectation, distinct_places_are_those_of_all_throws) {
    for (const std::uint64_t places : {1, 2, 3, 5}) {
        for (const std::uint64_t throws : {0, 1, 2, 4, 6}) {
            std::vector<double> counted(static_cast<std::size_t>(std::min(throws, places)) + 1, 0.0);
            const std::uint64_t all = power(places, throws);
            for (std::uint64_t i = 0; i < all; ++i) {
                const unsigned mask = mask_of(throws_of(i, places, throws), 0, throws);
                counted[static_cast<std::size_t>(std::popcount(mask))] += 1.0 / static_cast<double>(all);
            }
            const auto said = distinct_places(throws, places);
            ASSERT_EQ(said.size(), counted.size());
            for (std::size_t d = 0; d < said.size(); ++d) EXPECT_NEAR(said[d], counted[d], 1e-12) << places << throws;
        }
    }
}

TEST(yes_no_expectation, hopeless_false_positives_are_those_of_all_throws) {
    struct small {
        std::uint64_t bits, hashes, members;
    };
    for (const small& one : {small{3, 2, 2}, small{4, 1, 3}, small{4, 3, 1}, small{2, 3, 2}, small{5, 2, 2}}) {
        yes_no_spec spec = papers_spec();
        spec.no_bits = one.bits;
        spec.no_hashes = one.hashes;
        const std::uint64_t throws = one.hashes * (one.members + 1);
        const std::uint64_t all = power(one.bits, throws);
        std::uint64_t hopeless = 0;
        for (std::uint64_t i = 0; i < all; ++i) {
            const auto thrown = throws_of(i, one.bits, throws);
            const unsigned own = mask_of(thrown, 0, one.hashes);
            bool covers = false;
            for (std::uint64_t m = 1; m <= one.members; ++m) {
                covers |= (mask_of(thrown, m * one.hashes, one.hashes) & ~own) == 0;
            }
            hopeless += covers ? 1 : 0;
        }
        EXPECT_NEAR(yes_no_expectation::hopeless_share(spec, one.members),
                    static_cast<double>(hopeless) / static_cast<double>(all), 1e-12)
            << one.bits << one.hashes << one.members;
    }
}

TEST(yes_no_expectation, the_papers_setting_has_so_many_hopeless_ones) {
    EXPECT_NEAR(yes_no_expectation::hopeless_negatives(papers_spec(), 30, 100), 0.0178, 0.0001);
    EXPECT_EQ(yes_no_expectation::hopeless_share(papers_spec(), 0), 0);
}

TEST(yes_no_expectation, a_veto_needs_all_positions_in_one_no_filter) {
    const yes_no_spec spec = papers_spec();
    EXPECT_EQ(yes_no_expectation::veto_share(spec, std::vector<double>{0, 0, 0}), 0);
    EXPECT_EQ(yes_no_expectation::veto_share(spec, std::vector<double>{0, 32, 0}), 1);
    EXPECT_NEAR(yes_no_expectation::veto_share(spec, std::vector<double>{16, 16}), 1 - std::pow(1 - 1.0 / 32, 2),
                1e-12);
}

TEST(yes_no_expectation, the_corrected_form_vetoes_no_members) {
    // Keys of which 30 are members, 8 stored false positives, and 12 others pass the yes-filter, of 1000 in all.
    const double member_share = 0.03;
    const double stored_share = 0.008;
    const double yes_rate = 0.020 / 0.97;
    EXPECT_NEAR(yes_no_expectation::false_positive_share(member_share, yes_rate, 0, stored_share), 0.012, 1e-12);
    EXPECT_NEAR(yes_no_expectation::false_positive_share(member_share, yes_rate, 0.25, stored_share), 0.009, 1e-12);
    EXPECT_NEAR(yes_no_expectation::false_positive_share(member_share, yes_rate, 1, stored_share), 0, 1e-12);
}

/// Filters of random keys, averaged.
struct averages {
    double before = 0;
    double before_error = 0; // standard error of the mean
    double after = 0;
    double after_error = 0;
    double vetoed = 0; // by the ones of the no-filters
    std::vector<double> ones;
};

averages build_many(const yes_no_spec& spec, std::uint64_t members, std::uint64_t negatives, std::uint64_t filters) {
    averages made;
    made.ones.assign(spec.no_filters, 0.0);
    double before_squares = 0;
    double after_squares = 0;
    std::uint64_t next = 0;
    const auto fresh = [&](std::uint64_t count) {
        std::vector<digest> keys;
        for (; count > 0; --count, next += 2) keys.push_back({mix(next), mix(next + 1)});
        return keys;
    };
    const auto all = static_cast<double>(filters);
    for (std::uint64_t i = 0; i < filters; ++i) {
        const auto inside = fresh(members);
        const auto outside = fresh(negatives);
        const auto built = must(build_yes_no(spec, inside, outside));
        const auto before = static_cast<double>(built.report.false_positives_before);
        const auto after = static_cast<double>(built.report.false_positives_after);
        made.before += before / all;
        made.after += after / all;
        before_squares += before * before / all;
        after_squares += after * after / all;
        std::vector<double> ones(spec.no_filters, 0.0);
        for (std::size_t j = 0; j < ones.size(); ++j) {
            for (std::uint64_t at = 0; at < spec.no_bits; ++at) ones[j] += built.filter.no_bit(0, j, at) ? 1 : 0;
            made.ones[j] += ones[j] / all;
        }
        made.vetoed += yes_no_expectation::veto_share(spec, ones) / all;
    }
    made.before_error = std::sqrt((before_squares - made.before * made.before) / all);
    made.after_error = std::sqrt((after_squares - made.after * made.after) / all);
    return made;
}

TEST(yes_no_first_fit, the_counts_are_chances_and_their_mean_is_the_rate) {
    const auto counts = yes_no_first_fit::false_positive_counts(papers_spec(), 30, 100);
    EXPECT_EQ(counts.size(), 101u);
    EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0), 1, 1e-9);
    double mean = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) mean += static_cast<double>(i) * counts[i];
    // all_occupied is of second order, the counts are exact.
    EXPECT_NEAR(mean / (100 * yes_no_expectation::yes_rate(papers_spec(), 30)), 1, 1e-3);
}

TEST(yes_no_first_fit, leaves_what_filters_leave) {
    // Hypothesis: the model is right to within 7 % of what is left (13 % for seven no-filters, whose common members it does not know). False alarm: six standard errors, 1e-9. Power: a model that takes members afresh at every step is
    // wrong by a factor of seven in the last setting but one.
    constexpr std::uint64_t fewest = 1000; // with fewer, a standard error that is itself measured says too little
    struct expectation {
        std::uint64_t yes_bits, no_filters, no_bits, no_hashes, members;
        double tolerance;
    };
    for (const expectation& one : {expectation{160, 3, 32, 5, 30, 0.07}, expectation{160, 1, 32, 5, 30, 0.07},
                                   expectation{160, 3, 32, 5, 60, 0.07}, expectation{192, 2, 32, 3, 28, 0.07},
                                   expectation{160, 3, 32, 2, 30, 0.07}, expectation{79, 3, 59, 5, 30, 0.07},
                                   expectation{32, 7, 32, 5, 30, 0.13}, expectation{160, 3, 20, 5, 30, 0.07}}) {
        yes_no_spec spec = papers_spec();
        spec.yes_bits = one.yes_bits;
        spec.no_filters = one.no_filters;
        spec.no_bits = one.no_bits;
        spec.no_hashes = one.no_hashes;
        const auto said = yes_no_first_fit::expect(spec, one.members, 100);
        const auto seen = build_many(spec, one.members, 100, std::max<std::uint64_t>(rounds(2000), fewest));
        SCOPED_TRACE(testing::Message() << one.yes_bits << " " << one.no_filters << " " << one.no_bits << " "
                                        << one.no_hashes << " " << one.members);
        EXPECT_NEAR(said.before, seen.before, 6 * seen.before_error + 0.001 * seen.before);
        EXPECT_NEAR(said.after, seen.after, 6 * seen.after_error + one.tolerance * seen.after);
        EXPECT_GE(said.after, said.hopeless);
        // A no-filter that is hardly used is known less well.
        for (std::size_t j = 0; j < said.ones.size(); ++j) EXPECT_NEAR(said.ones[j], seen.ones[j], 0.06 * 32) << j;
    }
}

/// First-fit on sets of places in a word each, with as many false positives as the yes-filter has: what is left, and its standard error.
std::pair<double, double> left_by_places(const yes_no_spec& spec, std::uint64_t members, std::uint64_t trials) {
    std::mt19937_64 random(11);
    const auto counts = yes_no_first_fit::false_positive_counts(spec, members, 100);
    std::discrete_distribution<int> false_positives(counts.begin(), counts.end());
    const auto places = [&] {
        std::uint64_t made = 0;
        for (std::uint64_t i = 0; i < spec.no_hashes; ++i) made |= std::uint64_t{1} << random() % spec.no_bits;
        return made;
    };
    double sum = 0;
    double squares = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
        std::vector<std::uint64_t> sets(members);
        for (std::uint64_t& one : sets) one = places();
        std::vector<std::uint64_t> filters(spec.no_filters, 0);
        int left = 0;
        for (int i = false_positives(random); i > 0; --i) {
            const std::uint64_t one = places();
            const auto takes = [&](std::uint64_t& ones) {
                for (const std::uint64_t member : sets) {
                    if ((member & ~(ones | one)) == 0) return false;
                }
                ones |= one;
                return true;
            };
            left += std::any_of(filters.begin(), filters.end(), takes) ? 0 : 1;
        }
        sum += left;
        squares += left * left;
    }
    const auto all = static_cast<double>(trials);
    const double mean = sum / all;
    return {mean, std::sqrt((squares / all - mean * mean) / all)};
}

TEST(yes_no_first_fit, is_right_for_many_hash_functions_too) {
    // Hypothesis: within 7 %. It was 18 % too high at k' = 8 while it let a member that lacks two places lack the same one twice, and would
    // be 13 % too low if all false positives were equally dangerous. False alarm: six standard errors, 1e-9.
    for (const std::uint64_t hashes : {5, 8, 14}) {
        yes_no_spec spec = papers_spec();
        spec.no_hashes = hashes;
        const auto [mean, error] = left_by_places(spec, 30, rounds(100'000));
        EXPECT_NEAR(yes_no_first_fit::expect(spec, 30, 100).after, mean, 6 * error + 0.07 * mean) << hashes;
    }
}

TEST(yes_no_first_fit, without_no_filters_everything_is_left) {
    yes_no_spec spec = papers_spec();
    spec.no_filters = 0;
    const auto said = yes_no_first_fit::expect(spec, 30, 100);
    EXPECT_NEAR(said.after, said.before, 1e-9);
    EXPECT_EQ(said.veto_share, 0);
    EXPECT_TRUE(said.ones.empty());
}

TEST(yes_no_first_fit, one_hash_function_leaves_the_hopeless_ones_only) {
    // Whoever shares no position with a member never harms one.
    yes_no_spec spec = papers_spec();
    spec.no_hashes = 1;
    const auto said = yes_no_first_fit::expect(spec, 30, 100);
    EXPECT_NEAR(said.after, said.hopeless, 1e-9);
    EXPECT_NEAR(said.hopeless / said.before, 1 - std::pow(31.0 / 32, 30), 1e-9);
}

TEST(yes_no_first_fit, no_members_and_no_negatives_are_no_trouble) {
    EXPECT_EQ(yes_no_first_fit::expect(papers_spec(), 0, 100).after, 0);
    EXPECT_EQ(yes_no_first_fit::expect(papers_spec(), 30, 0).before, 0);
}

} // namespace
} // namespace everbloom
