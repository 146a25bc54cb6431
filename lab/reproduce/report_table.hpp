// Report as a terminal table: a line per claim, with the reason below claims that were not reproduced.
#pragma once

#include "lab/reproduce/paper_report.hpp"

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string report_table(const paper_report& report);

/// "0.951", "53,248", "-" for a missing value.
[[nodiscard]] std::string short_number(double value);

/// "72 of 72" for a share, otherwise the number.
[[nodiscard]] std::string value_text(const lab::measured_value& measured);

/// "19 reproduced, 3 deviating, 1 contradicted", and those without a verdict, if any.
[[nodiscard]] std::string verdict_counts(const paper_report& report);

} // namespace everbloom::cli
