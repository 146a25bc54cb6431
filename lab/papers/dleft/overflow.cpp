// Overflow without moves [Bonomi06 §5.2]: at load 6.5 one trial in forty has a key without room. The fluid limit predicts it for every
// load. Whole filters are measured in some trials, and the process of their buckets in as many as the paper has.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dleft/bucket_process.hpp"
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"
#include "output/wording.hpp"

#include <everbloom/model/dleft/dleft.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace everbloom::lab::dleft {
namespace {

constexpr std::uint64_t items_at_6_5 = 13 * all_buckets / 2;

estimate share_of(std::uint64_t hits, std::uint64_t trials) {
    const trial_tally tallied{hits, trials};
    return estimate_share(std::span(&tallied, 1));
}

constexpr double papers_share = 254.0 / papers_trials;

/// Number of trials in which the buckets of a table with `items` items refuse a key within `churn_steps` steps.
std::uint64_t trials_with_refusal(const laboratory& lab, std::uint64_t items, std::uint64_t trials) {
    const double load = dleft_model::distinct_load(papers_table(), static_cast<double>(items));
    const auto cells = static_cast<std::uint64_t>(std::llround(load * static_cast<double>(all_buckets)));
    std::atomic<std::uint64_t> refused = 0;
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        bucket_process process(trial_randomness(lab.seed(), trial));
        if (!process.fill(cells) || !process.churn(churn_steps)) ++refused;
    });
    lab.report(trials * (cells + 2 * churn_steps));
    return refused;
}

/// Distance of a value from an interval; 0 inside.
double distance_from(const estimate& measured, double value) {
    return std::max({measured.low - value, value - measured.high, 0.0});
}

} // namespace

result<outcome> overflow(laboratory& lab) {
    const bool is_glance = lab.thoroughness().name == "glance";
    const std::uint64_t trials = trials_of(lab, is_glance ? 10 : 40, 100);
    const std::uint64_t process_trials = trials_of(lab, is_glance ? 100 : 400, papers_trials);
    const auto empty = build_table(papers_table());
    if (!empty) return fail(empty.error());
    artefact figure{"overflow",
                    "Share of trials of 2^20 steps with a refused key, 4 x 2048 buckets of 8, without moves",
                    {"keys per bucket"},
                    {"share of trials", axis_scale::logarithmic, 1e-4, 1.5}};
    figure.reading =
        "The curve is 1 - exp(-steps x probability that all four buckets are full), from the fluid limit of distinct "
        "fingerprints. Discs are whole filters; the buckets alone, without the keys, are fast enough for as many "
        "trials "
        "as the paper has.";
    series line{"filters", {"#2b7bba", 7, 0.7, 1.8}};
    series process{"buckets alone", {"#d1495b", 5, 0.7, 1.8}};
    estimate at_6_5;
    estimate filters_at_6_5;
    place_count agree;
    double predicted = 0;
    for (const double load : {6.5, 6.6, 6.7}) {
        const auto items = static_cast<std::uint64_t>(std::llround(load * static_cast<double>(all_buckets)));
        const auto report = live(lab, *empty, items, trials, 1);
        if (!report) return fail(report.error());
        const double said = dleft_model::overflow_probability(papers_table(), items, static_cast<double>(churn_steps));
        const estimate measured = share_of(report->buckets->overflow_trials, trials);
        line.points.push_back({load, std::nullopt, said, measured});
        // Higher loads are not the paper's, and their shares are large.
        const std::uint64_t runs = items == items_at_6_5 ? process_trials : std::max(process_trials / 10, trials);
        const estimate of_buckets = share_of(trials_with_refusal(lab, items, runs), runs);
        point one{load, std::nullopt, std::nullopt, of_buckets};
        agree.note(measured.low <= of_buckets.high && of_buckets.low <= measured.high);
        if (items == items_at_6_5) {
            one.paper = papers_share;
            at_6_5 = of_buckets;
            filters_at_6_5 = measured;
            predicted = said;
        }
        process.points.push_back(std::move(one));
    }
    for (int i = 0; i <= 40; ++i) {
        const double load = 6.3 + 0.4 * i / 40;
        const auto items = static_cast<std::uint64_t>(load * static_cast<double>(all_buckets));
        line.model_curve.emplace_back(
            load, dleft_model::overflow_probability(papers_table(), items, static_cast<double>(churn_steps)));
    }
    figure.curves = {std::move(line), std::move(process)};

    const auto fluid = dleft_fluid_limit::solve(subtables, 6.5, 9, dleft_regime::steady_state);
    outcome found;
    found.findings = {
        {"fluid-at-6.5", fluid.at_least(9), fmt::format("solved: {:.4g}", fluid.at_least(9))},
        {"overflow-at-6.5", distance_from(at_6_5, papers_share),
         fmt::format("{:.4f} of {} trials ({:.4f} .. {:.4f}); predicted {:.4f}; of {} whole filters {:.4f} ({:.4f} .. "
                     "{:.4f})",
                     at_6_5.mean, grouped(process_trials), at_6_5.low, at_6_5.high, predicted, trials,
                     filters_at_6_5.mean, filters_at_6_5.low, filters_at_6_5.high)},
        {"buckets-alone", agree.counted(),
         fmt::format("the intervals of filters and of buckets alone overlap {}", agree.words())},
        {"overflow-model", predicted,
         fmt::format("1 - exp(-2^20 x probability that all four buckets are full) = {:.4f} at the load "
                     "of distinct fingerprints",
                     predicted)},
        {"items-at-6.5", static_cast<double>(items_at_6_5),
         fmt::format("6.5 keys in each of {} buckets are {}", grouped(all_buckets), grouped(items_at_6_5))}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dleft
