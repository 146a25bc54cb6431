// How a sync begins: what is there already, and what the filter is to be like.
#pragma once

#include "commands/sync/followed_filter.hpp"
#include "commands/sync/list_file.hpp"
#include "commands/sync/sync_flags.hpp"

#include <optional>
#include <string_view>

namespace everbloom::cli {

/// It grows by itself, and removes only what its records say is there.
inline constexpr std::string_view default_followed_kind = "elastic_blocked";

/// What is there before anything changes. A filter without a list is one that was made otherwise.
struct found_files {
    std::optional<filter_file> filter;
    std::optional<followed_list> list;

    /// Does the filter hold exactly the keys of the list?
    [[nodiscard]] bool agree() const { return filter && list && identity_of(*filter) == list->facts.identity; }
};

/// Reads filter and list. Refuses what is damaged, is no filter, or has no list, unless --rebuild says that it does not matter.
[[nodiscard]] result<found_files> find_files(const sync_flags& flags, const std::string& target, key_arena& arena,
                                             const cancellation& cancel);

/// Kind, rate, hash and key type: those of the files, or those of the flags. Refuses flags that contradict the files.
[[nodiscard]] result<filter_wish> wish_for(const sync_flags& flags, const found_files& found);

} // namespace everbloom::cli
