// A trial run: filters of a planned kind live through the workload they were planned for, and what they do is put beside what was predicted.
#pragma once

#include "output/progress.hpp"

#include <everbloom/runtime/planner.hpp>
#include <everbloom/simulation/simulation.hpp>

namespace everbloom::cli {

struct trial_run {
    planned_kind planned; // for the items that were simulated
    any_filter empty;
    simulation_request wanted;
    simulation_report found;
    std::uint64_t smaller = 1; // the workload was too long to be lived: this is one with so many times fewer items
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
