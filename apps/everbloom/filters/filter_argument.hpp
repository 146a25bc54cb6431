// filter_argument: opening a file that should be a filter, with advice if it is not.
//
// Common mistakes are naming the list instead of the filter, or both in the wrong order. The message says what the file looks like, and
// the command it suggests works as printed: an existing filter is not created again, a list is not read as a filter.
#pragma once

#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/slow/slow_file.hpp>

#include <span>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// As open_filter and map_filter of the library, with advice if the file is not a filter.
[[nodiscard]] result<filter_file> open_filter_argument(const std::string& path);
[[nodiscard]] result<filter_file> map_filter_argument(const std::string& path);

/// The same for commands that also work on slow filters; those are opened for reading.
[[nodiscard]] result<filter_file> map_any_filter_argument(const std::string& path, slow_queries queries);

/// Refuses a slow filter, for commands that cannot work on one.
[[nodiscard]] result<void> refuse_slow(const std::string& path);

/// Refuses an existing file without the magic number of a filter, before anything is locked or read.
[[nodiscard]] result<void> refuse_non_filter(const std::string& path);

/// Refuses to replace anything but a filter or an empty file by a filter, even with --force. A file that does not exist is fine.
[[nodiscard]] result<void> refuse_foreign_output(const std::string& path);

/// Refuses `everbloom COMMAND names.txt names.eb`: swapped arguments. `lists` are the files named as lists of keys.
[[nodiscard]] result<void> refuse_swapped(std::string_view command, const std::string& path,
                                          std::span<const std::string> lists);

/// What a regular file looks like, in words; empty for everything else.
[[nodiscard]] std::string look_in_words(const std::string& path);

/// A word for a shell: quoted if necessary.
[[nodiscard]] std::string shell_word(const std::string& word);

} // namespace everbloom::cli
