// Statistical tests that state their hypothesis, their false-alarm probability and their power.
//
// All of them are two-sided: too good also fails. Each raises a false alarm with probability 1e-9, and seeds are fixed, so a test
// that passed once passes always; one that fails has found something. What a test can see is part of its message: "would see"
// is the deviation that it finds with probability 0.99.
#pragma once

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace everbloom::support {

inline constexpr double false_alarm = 1e-9;

// Standard deviations that a normal variable exceeds on one side with probability 0.01, and 1e-9 / 2.
inline constexpr double normal_reach_99 = 2.326;
inline constexpr double normal_reach_alarm = 6.109;

/// Hypothesis: each of `tries` independent questions was answered yes with the same `chance`. Exact. If the chances differ, give
/// their mean: the spread is then smaller than the binomial one, so there are no more false alarms.
[[nodiscard]] inline ::testing::AssertionResult agrees_with_chance(std::uint64_t hits, std::uint64_t tries,
                                                                   double chance) {
    const auto count = static_cast<double>(tries);
    const double would_see = (normal_reach_alarm + normal_reach_99) * std::sqrt(chance * (1 - chance) / count);
    double tail = 0;
    if (chance <= 0 || chance >= 1) {
        tail = hits == (chance <= 0 ? 0 : tries) ? 1 : 0;
    } else {
        const boost::math::binomial expected(count, chance);
        const auto seen = static_cast<double>(hits);
        const double as_low = boost::math::cdf(expected, seen);
        const double as_high = hits == 0 ? 1 : boost::math::cdf(complement(expected, seen - 1));
        tail = std::min(as_low, as_high);
    }
    auto verdict = tail < false_alarm / 2 ? ::testing::AssertionFailure() : ::testing::AssertionSuccess();
    return verdict << hits << " of " << tries << " is a share of " << static_cast<double>(hits) / count << ", expected "
                   << chance << "; chance of this or worse: " << tail << " (would see a share off by " << would_see
                   << ")";
}

/// Hypothesis: the values come from a distribution with mean `expected`, or off by no more than `slack`. Student's test: the
/// spread is taken from the values themselves, so whatever makes them differ is in it.
[[nodiscard]] inline ::testing::AssertionResult agrees_with_mean(std::span<const double> values, double expected,
                                                                 double slack) {
    const auto count = static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) sum += value;
    const double mean = sum / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / (count - 1) / count);
    const boost::math::students_t student(count - 1);
    const double reach = boost::math::quantile(complement(student, false_alarm / 2)) * error;
    const bool near = std::abs(mean - expected) <= reach + slack;
    auto verdict = near ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
    return verdict << "the mean of " << values.size() << " is " << mean << ", expected " << expected << "; allowed "
                   << reach << " by chance and " << slack << " of slack (would see it off by "
                   << reach + slack + normal_reach_99 * error << ")";
}

/// Hypothesis: every throw fell into one of these bins with equal chances, independently. Chi-square, both tails.
[[nodiscard]] inline ::testing::AssertionResult agrees_with_uniform(std::span<const std::uint64_t> bins) {
    double throws = 0;
    for (const std::uint64_t count : bins) throws += static_cast<double>(count);
    const double expected = throws / static_cast<double>(bins.size());
    double statistic = 0;
    for (const std::uint64_t count : bins) {
        const double off = static_cast<double>(count) - expected;
        statistic += off * off / expected;
    }
    const double degrees = static_cast<double>(bins.size()) - 1;
    const boost::math::chi_squared chi(degrees);
    const double too_uneven = boost::math::cdf(complement(chi, statistic));
    const double too_even = boost::math::cdf(chi, statistic);
    // Bins that are off by a relative root mean square e add throws * e^2 to the statistic, whose own spread is sqrt(2 d).
    const double would_see = std::sqrt((normal_reach_alarm + normal_reach_99) * std::sqrt(2 * degrees) / throws) * 1.1;
    auto verdict = std::min(too_uneven, too_even) < false_alarm / 2 ? ::testing::AssertionFailure()
                                                                    : ::testing::AssertionSuccess();
    return verdict << "chi-square is " << statistic << " with " << degrees << " degrees of freedom; chance of one so "
                   << "large: " << too_uneven << ", so small: " << too_even << " (would see bins off by "
                   << 100 * would_see << " %)";
}

} // namespace everbloom::support
