// FPR of the ternary filter divided by that of D-FP, at the lowest load.
#pragma once

#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

namespace everbloom::lab::dfp {

struct rate_gain {
    estimate factor; // against the better cell form of the ternary filter
    std::string words;
};

[[nodiscard]] inline rate_gain smallest_gain_over_ternary(const std::vector<load_curve>& curves) {
    const estimate ours = curve_of(curves, dfp_filter()).samples.front().measured(quantity::fpr);
    rate_gain smallest{{std::numeric_limits<double>::infinity(), 0, 0}, ""};
    std::string words;
    for (const structure& other : {packed_ternary(), two_bit_ternary()}) {
        const estimate theirs = curve_of(curves, other).samples.front().measured(quantity::fpr);
        const estimate factor{theirs.mean / ours.mean, theirs.low / ours.high, theirs.high / ours.low};
        if (factor.mean < smallest.factor.mean) smallest.factor = factor;
        words += fmt::format("{}{:.1f} times lower ({:.1f} to {:.1f}) than {}", words.empty() ? "" : ", ", factor.mean,
                             factor.low, factor.high, other.label);
    }
    smallest.words = words;
    return smallest;
}

} // namespace everbloom::lab::dfp
