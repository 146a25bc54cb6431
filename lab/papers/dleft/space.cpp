// Space formulas of [Bonomi06 §4] for every remainder length: FPR of a d-left table and of a counting filter of equal size.
#include "lab/papers/dleft/dleft.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace everbloom::lab::dleft {
namespace {

/// FPR of a counting filter with c four-bit counters per key and the optimal real k.
double counting_rate(double counters_per_key) { return std::pow(std::exp2(-std::numbers::ln2), counters_per_key); }
double counting_rate(double counters_per_key, int hashes) {
    return std::pow(-std::expm1(-hashes / counters_per_key), hashes);
}
double dleft_rate(int remainder_bits) { return 24 * std::exp2(-remainder_bits); }
/// Counters per key in the space of a table with 3/4 of its cells in use, r + 2 bits each.
double counters_in_the_space(int remainder_bits) { return (remainder_bits + 2) / 3.0; }

} // namespace

result<outcome> space(laboratory&) {
    artefact figure{
        "space",
        "False positive rates in equal space: a counting filter with (r + 2) / 3 counters per key and the table",
        {"bits per key, 4 (r + 2) / 3"},
        {"false positive rate", axis_scale::logarithmic}};
    figure.reading = "The curves cross between r = 6 and r = 7, at 11 bits per key; from there the advantage of the "
                     "table doubles with "
                     "every 1.4 bits.";
    series counting{"counting filter, optimal k", {"#e08a1e", 5, 0.6, 1.6}};
    series table{"d-left table, r-bit remainders", {"#2b7bba", 7, 0.6, 1.6}};
    int wrong = 0;
    int first_below = 0;
    for (int r = 4; r <= 32; ++r) {
        const double bits = 4 * counters_in_the_space(r);
        const double theirs = counting_rate(counters_in_the_space(r));
        counting.points.push_back({bits, std::nullopt, theirs, std::nullopt, {{"remainder_bits", r}}});
        table.points.push_back({bits, std::nullopt, dleft_rate(r), std::nullopt, {{"remainder_bits", r}}});
        const bool is_below = dleft_rate(r) < theirs;
        if (is_below && first_below == 0) first_below = r;
        if (r >= 7 && !is_below) ++wrong;
    }
    figure.curves = {std::move(counting), std::move(table)};
    const double at_14 = counting_rate(16.0 / 3) / dleft_rate(14);
    // (4 log2(1/f) + 20 + 4 log2 3) / 3 against 4 (r + 2) / 3.
    double largest_difference = 0;
    for (int r = 5; r <= 32; ++r) {
        const double bits = (4 * -std::log2(dleft_rate(r)) + 20 + 4 * std::log2(3.0)) / 3;
        largest_difference = std::fmax(largest_difference, std::fabs(bits - 4 * counters_in_the_space(r)));
    }
    outcome found;
    found.findings = {
        {"space-from-7", static_cast<double>(wrong),
         fmt::format("the table has the lower FPR from r = {} on, for all of r = 7 .. 32", first_below)},
        {"space-factor-14", at_14,
         fmt::format("{:.4f} against {:.6f} for r = 14: a factor of {:.1f}", counting_rate(16.0 / 3), dleft_rate(14),
                     at_14)},
        {"space-nine-counters", counting_rate(9, 6), fmt::format("(1 - e^(-6/9))^6 = {:.5f}", counting_rate(9, 6))},
        {"space-eleven-bits", dleft_rate(11),
         fmt::format("24 x 2^-11 = {:.5f} in {:.2f} bits per key, against 36", dleft_rate(11), 52.0 / 3)},
        {"bits-formula", largest_difference,
         fmt::format("largest difference from 4 (r + 2) / 3 bits for r = 5 .. 32: {:.2g}", largest_difference)}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dleft
