// change_record: the files that this process has replaced so far.
//
// A failure after a file was replaced (a full disk under standard output, no memory for the report) must not be reported as "nothing was
// changed": a script would repeat a removal. output_file records every file it replaces; main checks it before it reports an error.
// Nothing in here allocates or fails.
#pragma once

#include <cstddef>
#include <string_view>

namespace everbloom::cli {

/// Records that this file was replaced.
void note_changed_file(std::string_view path) noexcept;

/// The number of replaced files.
[[nodiscard]] std::size_t changed_files() noexcept;

/// The name of the first one, truncated to 4095 bytes; ends with a zero byte.
[[nodiscard]] const char* first_changed_file() noexcept;

} // namespace everbloom::cli
