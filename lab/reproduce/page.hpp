// The report as one HTML page that needs no other file: the paper's words, our figures and numbers, verdicts, errata.
#pragma once

#include "lab/reproduce/paper_report.hpp"

#include <map>
#include <string>

namespace everbloom::cli {

/// Pictures by the artefact's id, ready to stand in the page; an artefact without one has its table only.
using page_figures = std::map<std::string, std::string>;

[[nodiscard]] std::string report_page(const paper_report& report, const page_figures& figures);

/// Text as HTML wants it.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace everbloom::cli
