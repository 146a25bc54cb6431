// The report for people at a terminal: a line per claim, and the reason below those that did not hold.
#pragma once

#include "lab/reproduce/paper_report.hpp"

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string report_table(const paper_report& report);

/// "0.951", "12.6", "-" for nothing.
[[nodiscard]] std::string short_number(double value);

/// "19 reproduced, 3 deviate, 1 contradicted"
[[nodiscard]] std::string verdict_counts(const paper_report& report);

} // namespace everbloom::cli
