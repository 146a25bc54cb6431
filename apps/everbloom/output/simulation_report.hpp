// simulation_report: the results of a simulation as JSON or as a table.
#pragma once

#include "output/json_output.hpp"

#include <everbloom/simulation/simulation.hpp>

#include <string>

namespace everbloom::cli {

/// The JSON document; members that a kind does not have are null.
[[nodiscard]] json simulation_document(const any_filter& simulated, const simulation_request& wanted,
                                       const simulation_report& found);

[[nodiscard]] std::string simulation_table(const any_filter& simulated, const simulation_request& wanted,
                                           const simulation_report& found);

} // namespace everbloom::cli
