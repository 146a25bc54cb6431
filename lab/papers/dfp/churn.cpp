// Long churn: with a constant number of items, one member at a time is replaced by a new one. The paper recommends these filters for
// applications with few deletions; this measures how fast they degrade, against our chain model.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

constexpr std::uint64_t churned_items = figure_bits / 16;

std::vector<structure> churned_filters() {
    return {{"counting, 4 bits (for comparison)", "counting", {{"counter_bits", "4"}}, {"#8a8f98", 13, 0.7, 1.6}},
            deletable_filter(8),
            quaternary_filter(),
            packed_ternary(),
            two_bit_ternary(),
            dfp_filter()};
}

std::vector<double> churn_places(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return {0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8};
    return {0, 0.5, 1, 2, 4};
}

struct churn_curves {
    fine_curve fpr;
    fine_curve deletability;
};

result<churn_curves> model_over_churn_rounds(const condition& last) {
    const auto empty = filter_for(last);
    if (!empty) return fail(empty.error());
    constexpr int steps = 32;
    churn_curves made;
    for (int i = 0; i <= steps; ++i) {
        const double churn_rounds = last.churn_rounds * i / steps;
        const prediction said = empty->predict({last.items, 0, churn_rounds});
        made.fpr.emplace_back(churn_rounds, said.fpr.value_or(0));
        made.deletability.emplace_back(churn_rounds, said.deletability.value_or(0));
    }
    return made;
}

} // namespace

result<outcome> churn(laboratory& lab) {
    artefact fpr{"churn_fpr", "False positive rate under churn, n/m = 1/16, k = 4, m = 262144 bits",
                 axis_from_zero("churn rounds (in each, every item is replaced once)"),
                 rate_axis("false positive rate")};
    artefact deletable{"churn_deletability", "Deletability under churn, n/m = 1/16, k = 4, m = 262144 bits",
                       axis_from_zero("churn rounds (in each, every item is replaced once)"),
                       share_axis("share of members that can be deleted")};
    fpr.reading = "One churn round costs more than the deletions of Fig. 7: saturated cells never recover.";
    deletable.reading = "Whether a member is deletable depends on how many cells were saturated when it was inserted, "
                        "and on later insertions.";

    fit rates(fit::error::relative, 0.02);
    fit shares(fit::error::absolute, 0.005);
    std::string worn;
    for (const structure& filter : churned_filters()) {
        std::vector<condition> conditions;
        for (const double churn_rounds : churn_places(lab)) {
            conditions.push_back({filter, figure_bits, figure_hashes, churned_items, 0, churn_rounds});
        }
        const auto samples = lab.measure(conditions);
        if (!samples) return fail(samples.error());
        fpr.curves.push_back({filter.label, filter.drawn});
        deletable.curves.push_back({filter.label, filter.drawn});
        const auto said = model_over_churn_rounds(conditions.back());
        if (!said) return fail(said.error());
        fpr.curves.back().model_curve = said->fpr;
        deletable.curves.back().model_curve = said->deletability;
        for (const sample& one : *samples) {
            rates.note(one.measured(quantity::fpr), one.modelled(quantity::fpr).value_or(0));
            shares.note(one.measured(quantity::deletability), one.modelled(quantity::deletability).value_or(0));
            fpr.curves.back().points.push_back(one.at(one.under.churn_rounds, quantity::fpr));
            deletable.curves.back().points.push_back(one.at(one.under.churn_rounds, quantity::deletability));
        }
        if (filter.kind != "dfp") continue;
        const sample& end = samples->back();
        worn = fmt::format(
            "after {} churn rounds the FPR of D-FP is {:.0f} times that of a fresh filter, and {:.0f} % of its members "
            "can be deleted",
            end.under.churn_rounds, end.measured(quantity::fpr).mean / samples->front().measured(quantity::fpr).mean,
            100 * end.measured(quantity::deletability).mean);
    }
    outcome found;
    found.findings = {{"churn-model", together(rates.counted(), shares.counted()),
                       fmt::format("FPR: {}; deletability: {}; {}", rates.words(), shares.words(), worn)}};
    found.artefacts = {std::move(fpr), std::move(deletable)};
    return found;
}

} // namespace everbloom::lab::dfp
