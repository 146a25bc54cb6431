// trial_run: a simulation of the planned workload with filters of the planned kind, to compare with the prediction.
#pragma once

#include "output/progress.hpp"

#include <everbloom/runtime/planner.hpp>
#include <everbloom/simulation/simulation.hpp>

namespace everbloom::cli {

struct trial_run {
    planned_kind planned; // for the number of keys that was simulated
    any_filter empty;
    simulation_request wanted;
    simulation_report found;
    std::uint64_t smaller = 1; // scale: the workload was too long, so it has this many times fewer keys
};

struct trial_run_options {
    std::uint64_t seed = 1;
    unsigned threads = 1;
    progress::mode shown = progress::mode::shown;
};

/// Enough trials and queries for an interval of about one percent of the rate, where that takes no more than a minute or so.
[[nodiscard]] result<trial_run> run_planned(const planned_kind& planned, const planning_request& wanted,
                                            const trial_run_options& options);

} // namespace everbloom::cli
