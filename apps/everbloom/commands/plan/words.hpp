// A plan in words: what was asked for, why a kind is right, why another is not, and the command that makes the filter.
#pragma once

#include <everbloom/runtime/planner.hpp>

#include <string>

namespace everbloom::cli {

/// "1000000 items at 0.100 %, 30.0 % more come and leave again, ..."
[[nodiscard]] std::string workload_words(const planning_request& wanted);

[[nodiscard]] std::string why_chosen(const planned_kind& planned, const planning_request& wanted);
[[nodiscard]] std::string why_dropped(const dropped_kind& dropped, const planning_request& wanted);

/// "everbloom create filter.eb --kind dleft --items 1M --fpr 0.001": makes exactly this filter.
[[nodiscard]] std::string create_command(const planned_kind& planned, const planning_request& wanted);
/// What puts the guard in front of it, or fills its no-filters.
[[nodiscard]] std::string protect_command(const planned_kind& planned);

} // namespace everbloom::cli
