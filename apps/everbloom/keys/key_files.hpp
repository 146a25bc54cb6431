// The files that keys are read from: looked at before anything is read or changed, so that a typing error costs nothing.
#pragma once

#include "keys/byte_stream.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::cli {

struct key_files {
    std::vector<std::string> names;  // "-" is standard input
    std::uint64_t regular_bytes = 0; // their size on disk, if all are regular files; else 0
    reading_rules rules;             // what they are expected to hold
};

/// The files by name, or standard input if there is no name. Refuses what cannot be read, and what is no list of keys as far as its
/// first bytes tell: a filter, an archive, text in UTF-16.
[[nodiscard]] result<key_files> find_key_files(std::vector<std::string> names, const reading_rules& rules);

/// Tells somebody whose terminal is about to be read from that the program waits for him.
void greet_terminal(const key_files& files);

/// Does the file begin as everbloom filters do?
[[nodiscard]] bool looks_like_filter(const std::string& path);

/// The failure of the system call that was just made on this file.
[[nodiscard]] failure unreadable(const std::string& name);

/// How a file is called in messages.
[[nodiscard]] std::string display_name(const std::string& name);

} // namespace everbloom::cli
