// filter_argument: a file that the command line names as a filter, and the advice for those that are none.
//
// People name the list instead of the filter, or both in the wrong order. The message says what the file looks like, and the command it
// advises works as printed: a filter that is there already is not created again, a list is not read as one.
#pragma once

#include <everbloom/runtime/filter_file.hpp>

#include <span>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// As the functions of the library, with advice if the file is no filter.
[[nodiscard]] result<filter_file> open_filter_argument(const std::string& path);
[[nodiscard]] result<filter_file> map_filter_argument(const std::string& path);

/// Refuses a file that is there and does not begin as a filter, before anything is locked or read.
[[nodiscard]] result<void> refuse_what_is_no_filter(const std::string& path);

/// Refuses to replace anything but a filter or an empty file by a filter, whatever --force says. What is not there yet is fine.
[[nodiscard]] result<void> refuse_foreign_output(const std::string& path);

/// `everbloom COMMAND names.txt names.eb`, the other way round. `lists` are the files named as lists of keys.
[[nodiscard]] result<void> refuse_swapped(std::string_view command, const std::string& path,
                                          std::span<const std::string> lists);

/// What a regular file looks like, in words; empty for everything else.
[[nodiscard]] std::string look_in_words(const std::string& path);

/// A word as a shell takes it: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& word);

} // namespace everbloom::cli
