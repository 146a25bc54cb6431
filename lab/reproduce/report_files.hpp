// Files of a report: DIR/<paper>.html, DIR/<paper>.json, and in DIR/<paper>/ a CSV table, a gnuplot script and an SVG picture for
// each artefact.
#pragma once

#include "lab/reproduce/paper_report.hpp"

#include <span>
#include <string>

namespace everbloom::cli {

struct written_files {
    std::string page;
    std::size_t tables = 0;
    std::size_t pictures = 0;
    bool gnuplot_is_missing = false;
};

/// `inputs` are the files that the run has read; none of them is overwritten.
[[nodiscard]] result<written_files> write_report(const paper_report& report, const std::string& directory,
                                                 std::span<const std::string> inputs);

/// Creates the directory before the run, so that a long run does not fail at its end.
[[nodiscard]] result<void> make_directory(const std::string& directory);

} // namespace everbloom::cli
