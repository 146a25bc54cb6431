// Table 1 of [Bonomi06 §5.1]: bucket loads after 2^20 steps at load 6, by simulation and by the fluid limit, and why the two columns of
// the paper differ. From the same trials: the FPR and the largest counter.
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"

#include <everbloom/model/dleft/dleft.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace everbloom::lab::dleft {
namespace {

// Load at least 0, 1, 2, ... 8, as printed.
constexpr std::array<double, 9> simulated_column{1, 1.0000, 0.9999, 0.9990, 0.9920, 0.9502, 0.7655, 0.2868, 0.0022};
constexpr std::array<double, 9> fluid_column{1, 1.0000, 0.9999, 0.9990, 0.9920, 0.9505, 0.7669, 0.2894, 0.0023};
constexpr double fluid_at_9 = 1.681e-27;

/// Mean over trials of shares of 8192 buckets: the binomial interval is conservative, d-left tables vary less.
estimate share_of_buckets(double share, std::uint64_t trials) {
    const double spread = 1.96 * std::sqrt(share * (1 - share) / (static_cast<double>(all_buckets * trials)));
    return {share, std::max(share - spread, 0.0), std::min(share + spread, 1.0)};
}

series measured_series(const std::vector<double>& shares, const std::vector<double>& distinct, std::uint64_t trials) {
    series made{"simulation", {"#2b7bba", 7, 0.7, 1.8}};
    for (std::size_t load = 1; load < simulated_column.size(); ++load) {
        made.points.push_back({static_cast<double>(load), simulated_column[load], distinct[load],
                               share_of_buckets(shares[load], trials)});
    }
    return made;
}

series fluid_series(const dleft_fluid_limit& solved) {
    series made{"fluid limit of all keys", {"#e08a1e", 5, 0.7, 1.4}};
    for (unsigned load = 1; load < fluid_column.size(); ++load) {
        made.points.push_back({static_cast<double>(load), fluid_column[load], solved.at_least(load), std::nullopt});
    }
    return made;
}

double largest_difference(const std::vector<double>& ours, const std::array<double, 9>& theirs) {
    double largest = 0;
    for (std::size_t load = 0; load < theirs.size(); ++load)
        largest = std::max(largest, std::abs(ours[load] - theirs[load]));
    return largest;
}

/// Expected number of sets of `copies` keys with the same fingerprint, among m keys and `fingerprints` values.
double expected_sets(double items, double fingerprints, int copies) {
    double logarithm = -std::lgamma(copies + 1) - (copies - 1) * std::log(fingerprints);
    for (int i = 0; i < copies; ++i) logarithm += std::log(items - i);
    return std::exp(logarithm);
}

constexpr double printed_rate = 0.001463;
constexpr double extreme_of_trials = 3.9; // standard deviations: the expected extreme of 10000 normal values

/// Queries per trial for which the measured FPRs of 10000 trials range from 0.00106 to 0.00195.
double queries_behind_range() {
    constexpr double half_range = (0.00195 - 0.00106) / 2;
    const double deviation = half_range / extreme_of_trials;
    return printed_rate / (deviation * deviation);
}

} // namespace

result<outcome> table_1(laboratory& lab) {
    const std::uint64_t trials = trials_of(lab, 20, 200);
    const auto empty = build_table(papers_table());
    if (!empty) return fail(empty.error());
    const auto report = live(lab, *empty, items_at_6, trials, 500'000);
    if (!report) return fail(report.error());
    const bucket_report& seen = *report->buckets;
    const auto all_keys = dleft_fluid_limit::solve(subtables, 6, 9, dleft_regime::steady_state);
    std::vector<double> fluid;
    for (unsigned load = 0; load < fluid_column.size(); ++load) fluid.push_back(all_keys.at_least(load));

    artefact table{"table1",
                   "Share of buckets over the minimum number of keys, 4 x 2048 buckets, 49152 keys, after 2^20 steps",
                   {"minimum number of keys in the bucket"},
                   {"share of buckets", axis_scale::logarithmic}};
    table.paper_values = "Table 1";
    table.reading =
        "The curve through the simulation is the fluid limit of distinct fingerprints: equal fingerprints share a "
        "cell, "
        "so 0.07 % fewer cells are in use than there are keys. This explains the difference between the two columns of "
        "the paper.";
    table.curves = {measured_series(seen.load_at_least, seen.fluid_limit, trials), fluid_series(all_keys)};

    const double distinct_error = largest_difference(seen.fluid_limit, simulated_column);
    const double fingerprints = std::exp2(25);
    const auto items = static_cast<double>(items_at_6);
    const double as_printed = expected_sets(items, fingerprints, 5) / fingerprints;
    outcome found;
    found.findings = {
        {"table1-simulation", largest_difference(seen.load_at_least, simulated_column),
         fmt::format("{} trials; at least 5, 6, 7 and 8 keys: {:.4f}, {:.4f}, {:.4f}, {:.4f}", trials,
                     seen.load_at_least[5], seen.load_at_least[6], seen.load_at_least[7], seen.load_at_least[8])},
        {"table1-fluid", largest_difference(fluid, fluid_column),
         fmt::format("solved: {:.4f}, {:.4f}, {:.4f}, {:.5f} for 5 to 8, and {:.4g} for 9 (paper {:.4g})", fluid[5],
                     fluid[6], fluid[7], fluid[8], all_keys.at_least(9), fluid_at_9)},
        {"table1-columns-differ", distinct_error,
         fmt::format(
             "the fluid limit at the load of distinct fingerprints, {:.4f}, gives {:.4f}, {:.4f}, {:.4f} for 5 to 7: "
             "the simulated column",
             dleft_model::distinct_load(papers_table(), static_cast<double>(items_at_6)), seen.fluid_limit[5],
             seen.fluid_limit[6], seen.fluid_limit[7])},
        {"no-overflow", static_cast<double>(seen.overflow_trials + seen.most_potential_overflows),
         fmt::format(
             "{} trials with a refused key; up to {} insertions per trial found all buckets full; {:.1e} per trial by "
             "the fluid limit",
             seen.overflow_trials, seen.most_potential_overflows,
             dleft_model::overflow_probability(papers_table(), items_at_6, static_cast<double>(churn_steps)))},
        {"rate", report->fpr.mean,
         fmt::format("{:.6f} ({:.6f} .. {:.6f}); {:.6f} estimated from the cells, {:.6f} by the model",
                     report->fpr.mean, report->fpr.low, report->fpr.high, report->fpr_current,
                     report->model.fpr.value_or(0))},
        {"rate-range", queries_behind_range(),
         fmt::format(
             "the extremes of 10,000 trials are about 3.9 standard deviations from the mean; with 10,000 queries that "
             "is {:.4f} on either side, with {:.0f} queries the printed range",
             extreme_of_trials * std::sqrt(printed_rate / 10'000), queries_behind_range())},
        {"largest-counter", seen.largest_count > 4 ? 1.0 : 0.0,
         fmt::format("the largest count in {} trials was {}; at any time {:.1e} sets of four equal fingerprints are "
                     "expected",
                     trials, seen.largest_count, expected_sets(items, fingerprints, 4))},
        {"counter-bound", expected_sets(items, fingerprints, 5),
         fmt::format("with exponent 5 the formula gives {:.3g}, as printed; the expected number for any common hash "
                     "value needs "
                     "exponent 4: {:.3g}",
                     as_printed, expected_sets(items, fingerprints, 5))}};
    found.artefacts.push_back(std::move(table));
    return found;
}

} // namespace everbloom::lab::dleft
