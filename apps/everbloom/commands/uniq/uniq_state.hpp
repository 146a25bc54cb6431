// uniq_state: what `uniq --state FILE` keeps for the next run: the keys it has seen, and those in its window.
//
// The file is a filter file, with all its checksums. The attachment has what is not in the filter:
//
//   | "EBUNIQ1\n" | entries of the window, hashes: 8 bytes each | entries: time, low, high, 8 bytes each | hashes: 10 bytes each |
#pragma once

#include "commands/uniq/seen_keys.hpp"
#include "commands/uniq/time_window.hpp"

#include <everbloom/runtime/filter_file.hpp>

#include <string>

namespace everbloom::cli {

/// Takes over what an earlier run stored. Refuses a filter that is no such state.
[[nodiscard]] result<void> restore(const std::string& path, filter_file& file, seen_keys& seen, key_window& window);

/// The file to be saved; `seen` is used up.
[[nodiscard]] filter_file state_of(seen_keys&& seen, const key_window& window, const any_hasher& hasher, key_type type);

} // namespace everbloom::cli
