// sync_start: the start of a sync: existing files, and options of the filter.
#pragma once

#include "commands/sync/list_file.hpp"
#include "commands/sync/sync_flags.hpp"

#include <everbloom/jobs/followed_filter.hpp>

#include <optional>
#include <string_view>

namespace everbloom::cli {

/// It grows, and verifies removals with its stored hashes.
inline constexpr std::string_view default_followed_kind = "quotient";

/// The existing files. A filter without a list was not created by sync.
struct found_files {
    std::optional<filter_file> filter;
    std::optional<followed_list> list;

    /// Does the filter hold exactly the keys of the list?
    [[nodiscard]] bool agree() const { return filter && list && identity_of(*filter) == list->facts.identity; }
};

/// Reads filter and list. Refuses files that are damaged, not a filter, or without a list, unless --rebuild is given.
[[nodiscard]] result<found_files> find_files(const sync_flags& flags, const std::string& target, key_arena& arena,
                                             const cancellation& cancel);

/// Kind, target FPR, hash and key type: from the files, or from the flags. Refuses flags that contradict the files.
[[nodiscard]] result<followed_options> options_for(const sync_flags& flags, const found_files& found);

} // namespace everbloom::cli
