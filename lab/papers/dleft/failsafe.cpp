// Failsafe of [Bonomi06 §5.2] at load 6.75: when all four buckets are full, one key of the first subtable is moved.
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"

#include <everbloom/model/dleft/dleft.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::lab::dleft {
namespace {

/// How far the trials are outside of the paper's 40 to 100.
double distance_from_range(const bucket_report& seen) {
    const double below = 40 - static_cast<double>(seen.fewest_potential_overflows);
    const double above = static_cast<double>(seen.most_potential_overflows) - 100;
    return std::max({below, above, 0.0});
}

} // namespace

result<outcome> failsafe(laboratory& lab) {
    const std::uint64_t trials = trials_of(lab, 20, 200);
    constexpr std::uint64_t items = 27 * all_buckets / 4;
    const auto empty = build_table(papers_table(1));
    if (!empty) return fail(empty.error());
    const auto report = live(lab, *empty, items, trials, 1);
    if (!report) return fail(report.error());
    const bucket_report& seen = *report->buckets;
    const double rate =
        dleft_fluid_limit::solve(subtables, dleft_model::distinct_load(papers_table(), static_cast<double>(items)), 8,
                                 dleft_regime::steady_state)
            .everywhere_at_least(8);
    outcome found;
    found.findings = {
        {"failsafe-resolves", static_cast<double>(seen.overflow_trials),
         fmt::format("{} keys refused in {} trials", report->inserts.of(insert_outcome::full_bucket), trials)},
        {"potential-overflows", distance_from_range(seen),
         fmt::format("{:.1f} per trial, from {} to {}; {:.1f} by the fluid limit", seen.mean_potential_overflows,
                     seen.fewest_potential_overflows, seen.most_potential_overflows,
                     rate * static_cast<double>(churn_steps))}};
    return found;
}

} // namespace everbloom::lab::dleft
