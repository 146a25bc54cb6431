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

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/list_facts.hpp>
#include <everbloom/runtime/file_update.hpp>

#include <cstdint>
#include <string>

namespace everbloom::cli {

/// Refuses a key that is too long for a list, which is read under the limits of compressed input.
[[nodiscard]] result<void> check_listable(std::string_view key);

/// FILE.list.zst
[[nodiscard]] std::string list_path_of(const std::string& filter_path);

/// What `sync` says about a damaged list.
inline constexpr std::string_view rebuilding_advice =
    "'everbloom sync --rebuild FILE LIST' rebuilds the filter and its list";

/// Checks everything: checksums, order, spelling, counts. Allocates only for keys that have been checked. The keys go into the arena.
[[nodiscard]] result<followed_list> read_list(const std::string& path, key_arena& arena, const cancellation& cancel,
                                              std::string_view advice = rebuilding_advice);

/// The whole file as bytes.
[[nodiscard]] result<std::vector<std::byte>> write_list(const followed_list& list);

} // namespace everbloom::cli
