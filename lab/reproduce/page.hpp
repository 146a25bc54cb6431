// Report of a paper as a self-contained HTML page: claims, figures, numbers, verdicts, errata.
#pragma once

#include "lab/reproduce/paper_report.hpp"

#include <map>
#include <string>

namespace everbloom::cli {

/// Embeddable pictures by artefact id; an artefact without a picture has only its table.
using page_figures = std::map<std::string, std::string>;

[[nodiscard]] std::string report_page(const paper_report& report, const page_figures& figures);

/// Text escaped for HTML.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace everbloom::cli
