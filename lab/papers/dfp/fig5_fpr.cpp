// Fig. 5: FPR over load without deletions, and the claims about it.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/rate_gain.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::dfp {
namespace {

constexpr auto fpr = quantity::fpr;
constexpr double low_load = 1.0 / 16; // the lowest quarter of the loads m/64 .. m/4

finding below_ternary_and_quaternary(const std::vector<load_curve>& curves) {
    place_count low;
    place_count all;
    const load_curve& ours = curve_of(curves, dfp_filter());
    for (const structure& other : {packed_ternary(), two_bit_ternary(), quaternary_filter()}) {
        const load_curve& theirs = curve_of(curves, other);
        for (std::size_t i = 0; i < ours.samples.size(); ++i) {
            const sample& one = ours.samples[i];
            all.note_less(one.measured(fpr), theirs.samples[i].measured(fpr));
            if (load_of(one) <= low_load) low.note_less(one.measured(fpr), theirs.samples[i].measured(fpr));
        }
    }
    return {"fpr-below-tbf-and-qbf", low.counted(),
            fmt::format("lower {} up to n/m = {:.4f}, and {} up to n/m = 1/4: not only at low loads", low.words(),
                        low_load, all.words())};
}

finding reduction_at_lowest_load(const std::vector<load_curve>& curves) {
    const rate_gain gain = smallest_gain_over_ternary(curves);
    return {"reduction-above-two", gain.factor.mean, gain.words};
}

finding sometimes_above_deletable(const std::vector<load_curve>& curves) {
    place_count above;
    std::string evidence;
    const load_curve& ours = curve_of(curves, dfp_filter());
    for (const std::uint64_t region_bits : region_sizes) {
        const load_curve& theirs = curve_of(curves, deletable_filter(region_bits));
        place_count here;
        for (std::size_t i = 0; i < ours.samples.size(); ++i) {
            here.note_less(theirs.samples[i].measured(fpr), ours.samples[i].measured(fpr));
        }
        above.note(here.held() > 0);
        evidence += fmt::format("{}regions of {}: higher {}", evidence.empty() ? "" : "; ", region_bits, here.words());
    }
    return {"fpr-can-exceed-dlbf", above.counted(), evidence};
}

/// "... at the cost of a higher false positive rate": higher than the ternary filter with which cells?
finding quaternary_against_ternary(const std::vector<load_curve>& curves) {
    const load_curve& four = curve_of(curves, quaternary_filter());
    place_count all;
    std::string evidence;
    for (const structure& other : {packed_ternary(), two_bit_ternary()}) {
        const load_curve& three = curve_of(curves, other);
        place_count here;
        for (std::size_t i = 0; i < four.samples.size(); ++i) {
            here.note_strictly_less(three.samples[i].measured(fpr), four.samples[i].measured(fpr));
            all.note_strictly_less(three.samples[i].measured(fpr), four.samples[i].measured(fpr));
        }
        evidence += fmt::format("{}than {}: higher {}", evidence.empty() ? "" : "; ", other.label, here.words());
    }
    return {"qbf-higher-fpr", all.counted(), evidence + "; identical answers to every query where it is not higher"};
}

/// Eq. 2 of [Rothenberg10]: a Bloom filter of the bits that the flags leave.
finding deletable_rate(const std::vector<load_curve>& curves) {
    fit with_equation(fit::error::relative, 0.02);
    for (const std::uint64_t region_bits : region_sizes) {
        for (const sample& one : curve_of(curves, deletable_filter(region_bits)).samples) {
            const std::uint64_t whole_regions = one.under.bits / (region_bits + 1);
            const auto regions = static_cast<double>(whole_regions);
            const auto k = static_cast<double>(one.under.hashes);
            const double throws = k * static_cast<double>(one.under.items);
            const double bits = regions * static_cast<double>(region_bits);
            with_equation.note(one.measured(fpr), std::pow(1 - std::exp(-throws / bits), k));
        }
    }
    return {"dlbf-fpr", with_equation.counted(), with_equation.words()};
}

} // namespace

result<outcome> fpr_figure(laboratory& lab) {
    const auto curves = measure_over_load(lab, compared_filters());
    if (!curves) return fail(curves.error());
    artefact figure{"fig5", "False positive rate over load, nothing deleted, k = 4, m = 262144 bits for every filter",
                    axis_from_zero("load n/m (items per bit)"), rate_axis("false positive rate")};
    figure.reading = "Without deletions the quaternary filter and the ternary one with two-bit cells give identical "
                     "answers. D-FP is "
                     "below both at every load.";
    for (const load_curve& one : *curves) figure.curves.push_back(one.drawn(fpr));

    outcome found;
    found.findings = {below_ternary_and_quaternary(*curves), reduction_at_lowest_load(*curves),
                      sometimes_above_deletable(*curves), quaternary_against_ternary(*curves), deletable_rate(*curves)};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dfp
