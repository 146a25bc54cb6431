// key_files: the files that keys are read from, checked before anything is read or changed.
#pragma once

#include "keys/byte_stream.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct key_files {
    std::vector<std::string> names;         // "-" is standard input
    std::uint64_t regular_bytes = 0;        // their size on disk, if all are regular files; else 0
    reading_rules rules;                    // what they are expected to hold
    bool detects_format = false;            // the format of each is found by its first lines
    std::optional<char> csv_delimiter = {}; // quoted fields of CSV files, which may have line ends, are between these
    std::optional<std::string> given = {};  // instead of a file: keys of the command line
};

/// Keys of the command line (-e), each ended by a NUL byte, which no argument can contain.
[[nodiscard]] key_files keys_given(const std::vector<std::string>& keys);

/// Replaces directories among the names by the regular files in them and below, in the order of their names.
[[nodiscard]] result<std::vector<std::string>> files_below(const std::vector<std::string>& names);

/// The files by name, or standard input without names. Refuses files that cannot be read, and files that are not lists of keys by their
/// first bytes: a filter, an archive, text in UTF-16.
[[nodiscard]] result<key_files> find_key_files(std::vector<std::string> names, const reading_rules& rules);

/// Prints a notice if keys are read from a terminal.
void greet_terminal(const key_files& files);

/// Does the file have the magic number of an everbloom filter?
[[nodiscard]] bool looks_like_filter(const std::string& path);

/// The failure for errno of the last system call on this file.
[[nodiscard]] failure unreadable(const std::string& name);

/// The name of a file in messages.
[[nodiscard]] std::string display_name(const std::string& name);

} // namespace everbloom::cli
