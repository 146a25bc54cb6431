// change_record: which files this process has replaced so far.
//
// What goes wrong after a file was replaced (a full disk under standard output, no memory for the report) must not be told as "nothing
// was changed": whoever believes that removes the same keys a second time. output_file notes every file it puts in place; main looks
// here before it says what an error means. Nothing in here allocates or fails.
#pragma once

#include <cstddef>
#include <string_view>

namespace everbloom::cli {

/// The file of this name is in its place.
void note_changed_file(std::string_view path) noexcept;

/// How many files were replaced.
[[nodiscard]] std::size_t changed_files() noexcept;

/// The name of the first of them, cut after some thousand bytes; ends with a zero byte.
[[nodiscard]] const char* first_changed_file() noexcept;

} // namespace everbloom::cli
