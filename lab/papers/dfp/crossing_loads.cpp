// Loads at which the curves of Fig. 4 to 7 cross, by the models and by measurements. The paper says only "low loads" and "practical
// region sizes".
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/crossing.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

constexpr double largest_paper_load = 1.0 / figure_hashes;

result<series> over_region_sizes(laboratory& lab, series line, quantity compared, fit& with_models) {
    for (const std::uint64_t region_bits : region_sizes) {
        const duel between{dfp_filter(), deletable_filter(region_bits), compared};
        const auto said = modelled_crossing(between, largest_paper_load);
        if (!said) return fail(said.error());
        if (!*said) continue;
        const auto seen = measured_crossing(lab, between, **said);
        if (!seen) return fail(seen.error());
        with_models.note(*seen, **said);
        line.points.push_back({static_cast<double>(region_bits), std::nullopt, **said, *seen});
    }
    return line;
}

/// The load up to which D-FP has the lower FPR, over the removed share. Far beyond the loads of the paper: by the models.
result<artefact> reach_of_lower_rate() {
    artefact figure{"reach", "Load up to which D-FP has the lower false positive rate, k = 4",
                    axis_from_zero("removed share r"), axis_from_zero("load n/m (items left per bit)")};
    figure.reference = largest_paper_load;
    figure.reading =
        "The line at 1/4 is the highest load of the paper. D-FP has a lower FPR than the ternary filter with two-bit "
        "cells at every load, so there is no curve for it; the quaternary filter overtakes it only where many items "
        "were deleted and the FPR of both is over 99 %.";
    constexpr double far_away = 2;
    for (const structure& other : {packed_ternary(), two_bit_ternary(), quaternary_filter()}) {
        series line{"against " + other.label, other.drawn};
        for (const double removed_share : {0.0, 0.1, 0.2, 0.3, 0.4}) {
            const auto said = modelled_crossing({dfp_filter(), other, quantity::fpr, removed_share}, far_away);
            if (!said) return fail(said.error());
            line.points.push_back({removed_share, std::nullopt, *said, std::nullopt});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

/// Between the two crossings D-FP has the lower FPR and the higher deletability.
std::string both_better(const series& more_deletable, const series& lower_rate) {
    std::string words;
    for (std::size_t i = 0; i < more_deletable.points.size() && i < lower_rate.points.size(); ++i) {
        words += fmt::format("{}{:.3f} to {:.3f} (regions of {})", i == 0 ? "" : ", ", *more_deletable.points[i].model,
                             *lower_rate.points[i].model, more_deletable.points[i].x);
    }
    return words;
}

} // namespace

result<outcome> crossing_loads(laboratory& lab) {
    artefact figure{"crossings",
                    "Crossing loads of D-FP and the deletable filter, k = 4, m = 262144",
                    {"bits per region of the deletable filter", axis_scale::logarithmic, 3.2, 20, {4, 8, 16}},
                    axis_from_zero("load n/m (items per bit)")};
    figure.reading =
        "Above the lower curve D-FP is more deletable; below the upper one it has the lower FPR. Between the "
        "two it is better in both.";
    fit with_models(fit::error::relative, 0.03);
    auto more_deletable = over_region_sizes(lab, {"D-FP is more deletable above", {"#2b7bba", 7, 0.6, 2.0}},
                                            quantity::deletability, with_models);
    if (!more_deletable) return fail(more_deletable.error());
    auto lower_rate =
        over_region_sizes(lab, {"D-FP has the lower FPR below", {"#d1495b", 5, 0.6, 2.0}}, quantity::fpr, with_models);
    if (!lower_rate) return fail(lower_rate.error());
    auto reach = reach_of_lower_rate();
    if (!reach) return fail(reach.error());

    outcome found;
    found.findings.push_back(
        {"crossing-loads", with_models.counted(),
         with_models.words() + "; D-FP is better in both at n/m = " + both_better(*more_deletable, *lower_rate)});
    figure.curves = {std::move(*more_deletable), std::move(*lower_rate)};
    found.artefacts = {std::move(figure), std::move(*reach)};
    return found;
}

} // namespace everbloom::lab::dfp
