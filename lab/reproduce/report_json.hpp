// Report as JSON and CSV: one document per paper, one table per artefact.
#pragma once

#include "lab/reproduce/paper_report.hpp"
#include "output/json_output.hpp"

#include <string>

namespace everbloom::cli {

[[nodiscard]] json report_document(const paper_report& report);

/// One line per point; missing values are empty.
[[nodiscard]] std::string artefact_csv(const lab::artefact& one);

} // namespace everbloom::cli
