// Inputs of a report: each path on the command line becomes one or more sections.
#pragma once

#include "lab/report/sections.hpp"

#include <string>
#include <vector>

namespace everbloom::cli::html {

/// The sections of a filter, a JSON document, or a directory of such files.
[[nodiscard]] result<std::vector<section>> sections_of(const std::string& path);

} // namespace everbloom::cli::html
