#include <everbloom/simulation/interval.hpp>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom {
namespace {

constexpr double outside_per_side = 0.025;

/// Doubles are not promoted to long double: doubles are exact enough, and Boost's tables for long double, which are made when the program
/// starts, throw under valgrind, where a long double has 64 bits.
using in_double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
// From about this number of events on, the variance between trials can be estimated from the trials.
constexpr std::uint64_t enough_to_compare = 30;

estimate exact_interval(trial_tally all) {
    const auto hits = static_cast<double>(all.hits);
    const auto misses = static_cast<double>(all.of - all.hits);
    estimate made{hits / (hits + misses), 0, 1};
    if (all.hits > 0) made.low = boost::math::ibeta_inv(hits, misses + 1, outside_per_side, in_double());
    if (all.hits < all.of) made.high = boost::math::ibeta_inv(hits + 1, misses, 1 - outside_per_side, in_double());
    return made;
}

estimate student_interval(std::span<const trial_tally> trials) {
    const auto count = static_cast<double>(trials.size());
    double sum = 0;
    for (const trial_tally& one : trials) sum += static_cast<double>(one.hits) / static_cast<double>(one.of);
    const double mean = sum / count;
    double squares = 0;
    for (const trial_tally& one : trials) {
        const double off = static_cast<double>(one.hits) / static_cast<double>(one.of) - mean;
        squares += off * off;
    }
    const double reach = student_reach(count) * std::sqrt(squares / (count - 1) / count);
    return {mean, std::max(0.0, mean - reach), std::min(1.0, mean + reach)};
}

} // namespace

double student_reach(double values) {
    const boost::math::students_t_distribution<double, in_double> student(values - 1);
    return boost::math::quantile(complement(student, outside_per_side));
}

estimate estimate_share(std::span<const trial_tally> trials) {
    trial_tally all;
    bool every_trial_tried = true;
    for (const trial_tally& one : trials) {
        all.hits += one.hits;
        all.of += one.of;
        every_trial_tried &= one.of > 0;
    }
    if (all.of == 0) return {};
    const bool enough = std::min(all.hits, all.of - all.hits) >= enough_to_compare;
    const bool compare = trials.size() >= 2 && every_trial_tried && enough;
    return compare ? student_interval(trials) : exact_interval(all);
}

} // namespace everbloom
