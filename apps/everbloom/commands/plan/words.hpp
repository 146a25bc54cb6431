// words: the sentences of a plan: the workload, why a kind was chosen or ruled out, and the command that creates the filter.
#pragma once

#include <everbloom/runtime/planner.hpp>

#include <string>

namespace everbloom::cli {

/// "1,000,000 keys at 0.100 % FPR; 30.0 % more keys are added and removed again; ..."
[[nodiscard]] std::string workload_words(const planning_request& wanted);

[[nodiscard]] std::string why_chosen(const planned_kind& planned, const planning_request& wanted);
[[nodiscard]] std::string why_dropped(const dropped_kind& dropped, const planning_request& wanted);

/// "everbloom create filter.eb --kind dleft --capacity 1M --fpr 0.001": makes exactly this filter.
[[nodiscard]] std::string create_command(const planned_kind& planned, const planning_request& wanted);
/// The command that adds an exclusion list, or fills the no-filters.
[[nodiscard]] std::string protect_command(const planned_kind& planned);

} // namespace everbloom::cli
