// known_negatives: the list of `sync --protect`, and what becomes of keys that are in both lists.
#pragma once

#include "commands/sync/sync_flags.hpp"

#include <everbloom/jobs/key_list.hpp>

namespace everbloom::cli {

/// Two lists without a common key.
struct separate_lists {
    key_list members;
    key_list negatives;
    std::uint64_t overlap = 0;
};

/// For lists of networks: the networks for which queries for addresses in `negatives` ask. One of them in `members` contains a known negative,
/// or is in it.
[[nodiscard]] result<key_list> networks_to_exclude(const key_list& members, const key_list& negatives,
                                                   key_arena& arena);

/// Leaves the keys of both out of one of them, as the flags say; refuses them if no flag does.
[[nodiscard]] result<separate_lists> separate(const sync_flags& flags, key_type type, key_list members,
                                              key_list negatives);

} // namespace everbloom::cli
