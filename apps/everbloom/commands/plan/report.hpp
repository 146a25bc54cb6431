// report: a plan as a table for people, or as JSON.
#pragma once

#include "commands/plan/trial_run.hpp"
#include "output/json_output.hpp"

#include <everbloom/runtime/planner.hpp>

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct plan_report {
    planning_request wanted;
    ranking kinds;
    std::vector<trial_run> runs;            // of the best candidates, with --simulate
    std::optional<affordable_rate> instead; // if nothing fits into the memory
};

/// {"workload", "candidates": best first, "dropped"}, see docs/choosing.md.
[[nodiscard]] json plan_document(const plan_report& report);

[[nodiscard]] std::string plan_table(const plan_report& report);

} // namespace everbloom::cli
