// list_file: the exact list that a filter follows, kept in a file beside it. Here nothing is estimated: what is not in the list is
// never removed from the filter, and the filter can be made from the list again at any time.
//
//   | one zstd frame: the keys, sorted, each with its separator behind it | a skippable zstd frame of 88 bytes: what belongs to them |
//
// `zstd -dc` prints the list, and every command of ours reads it as a file of keys. The frame at the end says how many keys and
// bytes there are, has checksums of the list and of itself, and the identity of the filter that holds exactly these keys.
//
// Two files cannot be replaced in one moment. The list is replaced first. Whoever finds a filter with another identity than its
// list names (a crash came between, or somebody else changed the filter) believes the list, and makes the filter again.
#pragma once

#include "commands/sync/key_list.hpp"
#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>

namespace everbloom::cli {

/// What stands beside the keys in the file.
struct list_facts {
    key_type type = key_type::text;
    std::uint32_t kind = 0;        // of the filter, by its number
    double fpr = 0;                // agreed
    std::uint64_t identity = 0;    // of the filter
    std::uint64_t undeletable = 0; // keys that left the list and could not be taken out of the filter
};

struct followed_list {
    list_facts facts;
    key_list keys;
};

/// Refuses a key that is too long for a list: that is compressed, and read under the bounds of compressed input.
[[nodiscard]] result<void> check_listable(std::string_view key);

/// FILE.list.zst
[[nodiscard]] std::string list_path_of(const std::string& filter_path);

/// Checks everything: checksums, order, spelling, counts. Takes memory only for keys that have been checked. The keys go into the arena.
[[nodiscard]] result<followed_list> read_list(const std::string& path, key_arena& arena, const cancellation& cancel);

/// The whole file as bytes.
[[nodiscard]] result<std::vector<std::byte>> write_list(const followed_list& list);

/// A number that changes with everything that matters for an answer: kind, geometry, hash and cells.
[[nodiscard]] std::uint64_t identity_of(const filter_file& file);

} // namespace everbloom::cli
