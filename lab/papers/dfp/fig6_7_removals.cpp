// Fig. 6 and 7: FPR after deletions. n + rn items are inserted, rn of them deleted; r = 0.2 and 0.3 as in the figures, and 0.1 and 0.4,
// which the paper measured but does not show.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/rate_gain.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

constexpr auto fpr = quantity::fpr;

std::string id_of(double removed_share) {
    if (removed_share == 0.2) return "fig6";
    if (removed_share == 0.3) return "fig7";
    return fmt::format("removed_{:.0f}", removed_share * 100);
}

artefact figure_of(double removed_share, const std::vector<load_curve>& curves) {
    artefact figure{id_of(removed_share),
                    fmt::format("False positive rate after {:.1f} n deletions, k = 4, m = 262144 bits", removed_share),
                    axis_from_zero("load n/m (items left per bit)"), rate_axis("false positive rate")};
    figure.reading =
        "n is the number of items left in the filter. After deletions the quaternary filter is better than the two-bit "
        "ternary one, because fewer of its cells are saturated.";
    for (const load_curve& one : curves) figure.curves.push_back(one.drawn(fpr));
    return figure;
}

} // namespace

result<outcome> removal_figures(laboratory& lab) {
    outcome found;
    fit with_model(fit::error::relative, 0.02);
    place_count grows;
    rate_gain smallest{{std::numeric_limits<double>::infinity(), 0, 0}, ""};
    std::string degradation;

    const auto untouched = measure_over_load(lab, compared_filters());
    if (!untouched) return fail(untouched.error());
    for (const double removed_share : removed_shares) {
        const auto curves = measure_over_load(lab, compared_filters(), removed_share);
        if (!curves) return fail(curves.error());
        found.artefacts.push_back(figure_of(removed_share, *curves));
        for (std::size_t filter = 0; filter < curves->size(); ++filter) {
            const std::vector<sample>& samples = (*curves)[filter].samples;
            for (std::size_t i = 0; i < samples.size(); ++i) {
                with_model.note(samples[i].measured(fpr), samples[i].modelled(fpr).value_or(0));
                const sample& before = (*untouched)[filter].samples[i];
                grows.note_less(before.measured(fpr), samples[i].measured(fpr));
                grows.note_less(samples[i].measured(quantity::deletability), before.measured(quantity::deletability));
            }
        }
        const std::size_t middle = untouched->front().samples.size() / 2;
        const sample& ours = curve_of(*curves, dfp_filter()).samples[middle];
        const double before = curve_of(*untouched, dfp_filter()).samples[middle].measured(fpr).mean;
        degradation += fmt::format(
            "{}{:.2f} for r = {}",
            degradation.empty() ? fmt::format("the FPR of D-FP at n/m = {:.3f} grows by a factor of ", load_of(ours))
                                : ", ",
            ours.measured(fpr).mean / before, removed_share);
        const bool in_a_figure = id_of(removed_share).starts_with("fig");
        rate_gain gain = smallest_gain_over_ternary(*curves);
        if (!in_a_figure) continue;
        gain.words = fmt::format("{}{}r = {}: {}", smallest.words, smallest.words.empty() ? "" : "; ", removed_share,
                                 gain.words);
        if (gain.factor.mean < smallest.factor.mean) smallest.factor = gain.factor;
        smallest.words = gain.words;
    }
    found.findings = {{"gain-after-removals", smallest.factor.mean, smallest.words},
                      {"degradation-grows", grows.counted(),
                       fmt::format("worse than without deletions {}; {}", grows.words(), degradation)},
                      {"model-after-removals", with_model.counted(), with_model.words()}};
    return found;
}

} // namespace everbloom::lab::dfp
