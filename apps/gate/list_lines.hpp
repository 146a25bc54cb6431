// The lines of a list for the gate, one by one, with file and line number in every message.
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// Calls `take` for every line; "-" is standard input; compressed files are decompressed. Prefixes its errors with file and line. `meaning`
/// is what the file should be ("a list of addresses"), for messages about files of another kind.
[[nodiscard]] result<void> read_lines(const std::string& file, std::string_view meaning, const cancellation& cancel,
                                      const std::function<result<void>(std::string_view)>& take);

/// The line without blanks at its ends and without what follows a #.
[[nodiscard]] std::string_view without_comment(std::string_view line);

} // namespace everbloom::cli
