// losses: what a file of another format has no place for. `convert` says it, because the new file cannot.
#pragma once

#include <everbloom/foreign/foreign_filter.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

/// For a filter written from keys.
[[nodiscard]] std::vector<std::string> losses_of_keys(foreign_format to);
/// For an everbloom filter written as a .bloom file.
[[nodiscard]] std::vector<std::string> losses_of_filter();
/// For a foreign filter, rewritten with the same bits.
[[nodiscard]] std::vector<std::string> losses_between(foreign_format from, foreign_format to);

/// Why the bits of a filter of this format cannot become another one.
[[nodiscard]] std::string why_not(foreign_format from, std::string_view to);

} // namespace everbloom::cli
