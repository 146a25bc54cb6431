#include "lab/papers/dfp/crossing.hpp"

#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace everbloom::lab::dfp {
namespace {

constexpr double normal_95 = 1.96; // standard errors on each side of a 95 % interval

/// Both quantities are compared as error rates (false positives, or members that cannot be deleted), by their ratio: a difference of 1e-6
/// is large at 1e-6 and nothing at 0.1.
double compared(double left, double right, quantity what) {
    return what == quantity::fpr ? std::log(left / right) : std::log((1 - left) / (1 - right));
}

estimate compared(const estimate& left, const estimate& right, quantity what) {
    const auto logarithm = [what](const estimate& one) {
        const estimate error = what == quantity::fpr ? one : complement(one);
        return estimate{std::log(error.mean), std::log(std::max(error.low, error.mean / 10)), std::log(error.high)};
    };
    return difference(logarithm(left), logarithm(right));
}

double modelled(const any_filter& filter, std::uint64_t items, const duel& between) {
    const prediction said = filter.predict({items, between.removed_share, 0});
    return (between.compared == quantity::fpr ? said.fpr : said.deletability).value_or(0);
}

condition condition_of(const structure& filter, std::uint64_t items, double removed_share) {
    return {filter, figure_bits, figure_hashes, items, removed_share};
}

struct curve_point {
    double x; // the points lie symmetrically around 0
    double y;
    double error; // standard error of y
};

/// The root near 0 of a parabola fitted to the points, with a 95 % interval. All points have the same weight: errors from a few trials are
/// too uncertain for weights, but their mean square is good enough for the interval.
estimate zero_of_parabola(const std::vector<curve_point>& points) {
    const auto count = static_cast<double>(points.size());
    double mean_square = 0;
    double variance = 0;
    for (const curve_point& one : points) {
        mean_square += one.x * one.x / count;
        variance += one.error * one.error / count;
    }
    // 1, x and x^2 - mean are orthogonal over symmetrical points, so each coefficient is computed separately.
    const auto bend = [&](double x) { return x * x - mean_square; };
    double level = 0;
    double slope = 0;
    double curvature = 0;
    double bends = 0;
    for (const curve_point& one : points) {
        level += one.y / count;
        slope += one.x * one.y / (count * mean_square);
        curvature += bend(one.x) * one.y;
        bends += bend(one.x) * bend(one.x);
    }
    curvature /= bends;
    const auto steepness = [&](double x) { return slope + 2 * curvature * x; };
    double zero = 0;
    for (int i = 0; i < 20; ++i) zero -= (level + slope * zero + curvature * bend(zero)) / steepness(zero);
    const double spread = 1 / count + zero * zero / (count * mean_square) + bend(zero) * bend(zero) / bends;
    const double reach = normal_95 * std::sqrt(variance * spread) / std::abs(steepness(zero));
    return {zero, zero - reach, zero + reach};
}

} // namespace

result<std::optional<double>> modelled_crossing(const duel& between, double largest_load) {
    const auto left = filter_for(condition_of(between.left, 1, 0));
    if (!left) return fail(left.error());
    const auto right = filter_for(condition_of(between.right, 1, 0));
    if (!right) return fail(right.error());
    const auto gap_at = [&](std::uint64_t items) {
        return compared(modelled(*left, items, between), modelled(*right, items, between), between.compared);
    };
    const auto most = static_cast<std::uint64_t>(largest_load * static_cast<double>(figure_bits));
    std::uint64_t low = figure_bits / load_steps;
    const bool left_is_higher = gap_at(low) > 0;
    // In small steps: at very high loads both filters answer yes to everything, and the models are indistinguishable.
    std::uint64_t high = low;
    do {
        low = high;
        high += 1 + high / 16;
        if (high > most || gap_at(high) == 0) return std::nullopt;
    } while ((gap_at(high) > 0) == left_is_higher);
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        ((gap_at(middle) > 0) == left_is_higher ? low : high) = middle;
    }
    return static_cast<double>(high) / static_cast<double>(figure_bits);
}

result<estimate> measured_crossing(laboratory& lab, const duel& between, double near_load) {
    std::vector<condition> lefts;
    std::vector<condition> rights;
    const std::vector<double> powers{-1, -2.0 / 3, -1.0 / 3, 0, 1.0 / 3, 2.0 / 3, 1};
    for (const double power : powers) {
        const double load = near_load * std::exp2(power);
        const auto items = static_cast<std::uint64_t>(std::llround(load * static_cast<double>(figure_bits)));
        lefts.push_back(condition_of(between.left, items, between.removed_share));
        rights.push_back(condition_of(between.right, items, between.removed_share));
    }
    const auto needed = between.compared == quantity::fpr ? precision::rates : precision::deletability_only;
    const auto left = lab.measure(lefts, needed);
    if (!left) return fail(left.error());
    const auto right = lab.measure(rights, needed);
    if (!right) return fail(right.error());
    std::vector<curve_point> points;
    for (std::size_t i = 0; i < left->size(); ++i) {
        const estimate gap =
            compared((*left)[i].measured(between.compared), (*right)[i].measured(between.compared), between.compared);
        points.push_back({powers[i], gap.mean, (gap.high - gap.low) / (2 * normal_95)});
    }
    const estimate power = zero_of_parabola(points);
    return estimate{near_load * std::exp2(power.mean), near_load * std::exp2(power.low),
                    near_load * std::exp2(power.high)};
}

} // namespace everbloom::lab::dfp
