#include "experiments/dfp/crossing.hpp"

#include "experiments/comparison.hpp"
#include "experiments/dfp/structures.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace everbloom::experiments::dfp {
namespace {

constexpr double normal_95 = 1.96; // standard errors on each side of a 95 % interval

/// Rates are compared by their ratio: a difference of 1e-6 is much at 1e-6 and nothing at 0.1.
double compared(double left, double right, quantity what) {
    return what == quantity::fpr ? std::log(left / right) : left - right;
}

estimate compared(const estimate& left, const estimate& right, quantity what) {
    if (what == quantity::deletability) return difference(left, right);
    const auto logarithm = [](const estimate& one) {
        return estimate{std::log(one.mean), std::log(std::max(one.low, one.mean / 10)), std::log(one.high)};
    };
    return difference(logarithm(left), logarithm(right));
}

double modelled(const any_filter& filter, std::uint64_t items, const duel& between) {
    const prediction said = filter.predict({items, between.removed_share, 0});
    return (between.compared == quantity::fpr ? said.fpr : said.deletability).value_or(0);
}

condition condition_of(const structure& filter, std::uint64_t items, double removed_share) {
    return {filter, figure_bits, figure_hashes, items, removed_share, 0, 0};
}

struct line_point {
    double x;
    double y;
    double error; // standard error of y
};

/// Where a straight line through the points is zero, with a 95 % interval. All points weigh the same: errors that come from a few
/// trials are too uncertain to be weights, but their mean square is good enough for the interval.
estimate zero_of_line(const std::vector<line_point>& points) {
    const auto count = static_cast<double>(points.size());
    double mean_x = 0;
    double mean_y = 0;
    double variance = 0;
    for (const line_point& one : points) {
        mean_x += one.x / count;
        mean_y += one.y / count;
        variance += one.error * one.error / count;
    }
    double squares = 0;
    double products = 0;
    for (const line_point& one : points) {
        squares += (one.x - mean_x) * (one.x - mean_x);
        products += (one.x - mean_x) * (one.y - mean_y);
    }
    const double slope = products / squares;
    const double zero = mean_x - mean_y / slope;
    const double off_centre = zero - mean_x;
    const double error = std::sqrt(variance * (1 / count + off_centre * off_centre / squares)) / std::abs(slope);
    return {zero, zero - normal_95 * error, zero + normal_95 * error};
}

} // namespace

result<std::optional<double>> modelled_crossing(const duel& between, double largest_load) {
    const auto left = filter_for(condition_of(between.left, 1, 0));
    if (!left) return fail(left.error());
    const auto right = filter_for(condition_of(between.right, 1, 0));
    if (!right) return fail(right.error());
    const auto sign_at = [&](std::uint64_t items) {
        return compared(modelled(*left, items, between), modelled(*right, items, between), between.compared) > 0;
    };
    std::uint64_t low = figure_bits / load_steps;
    auto high = static_cast<std::uint64_t>(largest_load * static_cast<double>(figure_bits));
    const bool at_low = sign_at(low);
    if (sign_at(high) == at_low) return std::nullopt;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (sign_at(middle) == at_low ? low : high) = middle;
    }
    return static_cast<double>(high) / static_cast<double>(figure_bits);
}

result<estimate> measured_crossing(laboratory& lab, const duel& between, double near_load) {
    std::vector<condition> lefts;
    std::vector<condition> rights;
    for (const double factor : {0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15}) {
        const auto items = static_cast<std::uint64_t>(factor * near_load * static_cast<double>(figure_bits));
        lefts.push_back(condition_of(between.left, items, between.removed_share));
        rights.push_back(condition_of(between.right, items, between.removed_share));
    }
    const auto needed = between.compared == quantity::fpr ? precision::rates : precision::deletability_only;
    const auto left = lab.measure(lefts, needed);
    if (!left) return fail(left.error());
    const auto right = lab.measure(rights, needed);
    if (!right) return fail(right.error());
    std::vector<line_point> points;
    for (std::size_t i = 0; i < left->size(); ++i) {
        const estimate gap =
            compared((*left)[i].measured(between.compared), (*right)[i].measured(between.compared), between.compared);
        points.push_back({load_of((*left)[i]), gap.mean, (gap.high - gap.low) / (2 * normal_95)});
    }
    return zero_of_line(points);
}

} // namespace everbloom::experiments::dfp
