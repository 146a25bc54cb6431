// list_file: the exact list of a filter's keys, stored in a file beside the filter. A key that is not in the list is never removed from the
// filter, and the filter can be rebuilt from the list at any time.
//
//   | one zstd frame: the keys, sorted, each followed by its separator | a skippable zstd frame of 88 bytes: the list_facts and checksums |
//
// `zstd -dc` prints the list, and every everbloom command reads it as a file of keys. The frame at the end has the number of keys and
// bytes, checksums of the list and of itself, and the identity of the filter that holds exactly these keys.
//
// Two files cannot be replaced atomically; the list is replaced first. If the identity of the filter is not the one in its list (after a
// crash between the two, or a change by another command), the list is right, and the filter is rebuilt.
#pragma once

#include "commands/sync/key_list.hpp"
#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>

namespace everbloom::cli {

/// The data besides the keys.
struct list_facts {
    key_type type = key_type::text;
    std::uint32_t kind = 0;        // of the filter, by its number
    double fpr = 0;                // target
    std::uint64_t identity = 0;    // of the filter
    std::uint64_t undeletable = 0; // keys that left the list and could not be removed from the filter
};

struct followed_list {
    list_facts facts;
    key_list keys;
};

/// Refuses a key that is too long for a list, which is read under the limits of compressed input.
[[nodiscard]] result<void> check_listable(std::string_view key);

/// FILE.list.zst
[[nodiscard]] std::string list_path_of(const std::string& filter_path);

/// Checks everything: checksums, order, spelling, counts. Allocates only for keys that have been checked. The keys go into the arena.
[[nodiscard]] result<followed_list> read_list(const std::string& path, key_arena& arena, const cancellation& cancel);

/// The whole file as bytes.
[[nodiscard]] result<std::vector<std::byte>> write_list(const followed_list& list);

/// A checksum of everything that determines an answer: kind, geometry, hash and cells.
[[nodiscard]] std::uint64_t identity_of(const filter_file& file);

} // namespace everbloom::cli
