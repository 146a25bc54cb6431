// A plan for people (tables) and for programs (JSON).
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
    std::vector<trial_run> runs;            // of the first candidates, if they were simulated
    std::optional<affordable_rate> instead; // where nothing fits into the memory
};

/// {"workload", "candidates": best first, "dropped"}, see docs/choosing.md.
[[nodiscard]] json plan_document(const plan_report& report);

[[nodiscard]] std::string plan_table(const plan_report& report);

} // namespace everbloom::cli
