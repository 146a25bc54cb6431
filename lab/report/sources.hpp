// What a report is made of: each name on the command line is looked at, and becomes one section or more.
#pragma once

#include "lab/report/sections.hpp"

#include <string>
#include <vector>

namespace everbloom::cli::html {

/// The sections of a filter, a JSON document of ours, or a directory with such files.
[[nodiscard]] result<std::vector<section>> sections_of(const std::string& path);

} // namespace everbloom::cli::html
