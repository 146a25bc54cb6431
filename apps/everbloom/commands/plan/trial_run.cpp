#include "commands/plan/trial_run.hpp"

#include <everbloom/simulation/affordable.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::cli {
namespace {

constexpr double most_handled = 2e8;    // insertions, removals and queries of members: a minute on two cores
constexpr double handled_at_ease = 2e7; // up to there more trials take little time
constexpr double most_queries = 2e8;
constexpr double seen_positives = 4e4; // for an interval of one percent
constexpr double fewest_trials = 3;
constexpr double most_trials = 50;

/// Operations of one trial besides its queries for absent keys.
double handled_by_a_trial(const lifetime& workload) {
    return static_cast<double>(workload.items) * (3 + 2 * workload.removed_share + 2 * workload.churn_rounds);
}

simulation_request request_for(const planned_kind& planned, const trial_run_options& options) {
    const lifetime& workload = planned.lived;
    simulation_request made;
    made.items = workload.items;
    made.removed_share = workload.removed_share;
    made.churn_steps =
        static_cast<std::uint64_t>(std::llround(workload.churn_rounds * static_cast<double>(workload.items)));
    const double trials =
        std::clamp(std::floor(handled_at_ease / handled_by_a_trial(workload)), fewest_trials, most_trials);
    const double rate = std::fmax(planned.predicted.fpr.value_or(1), 1e-12);
    made.trials = static_cast<std::uint64_t>(trials);
    made.queries = static_cast<std::uint64_t>(std::clamp(seen_positives / rate, 1e5, most_queries) / trials);
    made.seed = options.seed;
    made.threads = options.threads;
    return made;
}

/// The same kind for the same workload with fewer keys.
result<planned_kind> planned_again(const planned_kind& planned, planning_request wanted, std::uint64_t items) {
    wanted.wanted.items = items;
    wanted.memory_bytes.reset();
    auto ranked = rank_kinds(wanted);
    if (!ranked) return fail(std::move(ranked.error()));
    for (planned_kind& one : ranked->candidates) {
        if (one.kind == planned.kind) return std::move(one);
    }
    return fail(failure_reason::bad_parameter, "the workload is too long to be simulated");
}

} // namespace

result<trial_run> run_planned(const planned_kind& planned, const planning_request& wanted,
                              const trial_run_options& options) {
    trial_run made;
    made.planned = planned;
    const double work = fewest_trials * handled_by_a_trial(planned.lived);
    if (work > most_handled) {
        made.smaller = static_cast<std::uint64_t>(std::ceil(work / most_handled));
        auto again = planned_again(planned, wanted, std::max<std::uint64_t>(1, wanted.wanted.items / made.smaller));
        if (!again) return fail(std::move(again.error()));
        made.planned = std::move(*again);
    }
    auto empty = build(made.planned.request);
    if (!empty) return fail(std::move(empty.error()));
    made.empty = std::move(*empty);
    made.wanted = request_for(made.planned, options);
    if (auto affordable = check_affordable(made.empty, made.wanted); !affordable) {
        return fail(std::move(affordable.error()));
    }
    progress watched(options.shown, made.wanted.trials);
    auto found = simulate(made.empty, made.wanted, [&](std::uint64_t keys) { watched.advance(keys, 1); });
    if (!found) return fail(std::move(found.error()));
    made.found = std::move(*found);
    return made;
}

} // namespace everbloom::cli
