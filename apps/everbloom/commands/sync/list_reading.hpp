// list_reading: the keys of list files as one sorted list, each key once, in its canonical spelling.
#pragma once

#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"

#include <everbloom/jobs/key_list.hpp>

namespace everbloom::cli {

struct made_list {
    key_list keys;
    std::uint64_t repeated = 0; // duplicates
};

/// How lists are read, besides the flags of keys.
struct list_reading {
    progress::mode watched = progress::mode::silent;
    bool allow_empty = false; // a list without keys is an error otherwise: something that made it has failed
};

[[nodiscard]] result<made_list> read_lists(const key_flags& flags, const list_reading& how,
                                           const std::vector<std::string>& names, const key_format& format,
                                           const any_hasher& hasher, key_arena& arena, cancellation& cancel);

} // namespace everbloom::cli
