// slow_layout: the fixed places of a slow file, as bytes. docs/slow.md has them as a table.
//
//      | header : 4 KB | state A | state B | extents: runs, lines, log segments, in any order |
//
// The header never changes. The state says where everything else is; it is written alternately to A and B, each time with a higher
// sequence number and after all that it refers to is durable. So one of them is always whole: a state that was being written when the
// power went has a wrong checksum, and the other one counts. Nothing that the older one refers to is overwritten before the newer one
// is durable.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/format/key_type.hpp>
#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/runtime/slow/extent_map.hpp>
#include <everbloom/runtime/slow/record_geometry.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom {

namespace slow_layout {

inline constexpr std::string_view magic = "EBslow\r\n";
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint64_t header_bytes = 4096;
inline constexpr std::size_t most_attached = 256;

} // namespace slow_layout

/// What a file is, from its header.
struct slow_identity {
    std::uint64_t number = 0; // random: tells the blocks of this file from those of another
    record_geometry geometry;
    any_hasher hasher;
    key_type keys = key_type::text;
};

/// Where a part is and how far its updates have been merged.
struct slow_part {
    extent run; // its blocks, then the blocks of its index
    std::uint64_t blocks = 0;
    std::uint64_t generation = 0; // the sequence number of the state that it came with
    std::uint64_t keys = 0;       // different ones
    std::uint64_t copies = 0;
    std::uint64_t most_copies = 0; // of a key, at most
    extent lines;
    std::uint64_t line_count = 0;
    std::uint64_t lines_checksum = 0;
    std::uint64_t merged_frames = 0; // updates in log frames before this number are in the run
    std::uint64_t hashes = 0;        // with which the lines were made

    friend bool operator==(const slow_part&, const slow_part&) = default;
};

/// Everything else that the file knows about itself.
struct slow_state {
    std::uint64_t sequence = 0;
    std::uint64_t epoch = 0;          // how often it was opened for writing
    std::uint64_t log_offset = 0;     // of the first segment of the log
    std::uint64_t first_frame = 0;    // the number of the first frame in it
    std::uint64_t durable_frames = 0; // frames before this number were durable when the state was written
    std::uint64_t hashes = 0;         // for lines that are made from now on
    std::uint64_t line_keys = 0;      // the same, in millionths
    std::uint64_t capacity = 0;
    double fpr = 0;
    std::uint64_t refused = 0; // deferred removals of keys that were not there
    std::vector<std::byte> attached = {};
    std::vector<slow_part> parts = {};
};

namespace slow_layout {

[[nodiscard]] std::uint64_t state_bytes(const record_geometry& geometry) noexcept;
[[nodiscard]] constexpr std::uint64_t state_offset(std::uint64_t slot, std::uint64_t bytes) noexcept {
    return header_bytes + slot * bytes;
}
[[nodiscard]] inline std::uint64_t first_extent(const record_geometry& geometry) noexcept {
    return state_offset(2, state_bytes(geometry));
}

[[nodiscard]] std::vector<std::byte> header(const slow_identity& identity);
/// From the first bytes of a file, `header_bytes` of them if it is so long.
[[nodiscard]] result<slow_identity> parse_header(std::span<const std::byte> bytes);
[[nodiscard]] bool has_magic(std::span<const std::byte> bytes) noexcept;

[[nodiscard]] std::vector<std::byte> state(const slow_identity& identity, const slow_state& now);
/// Nothing if these bytes are not a whole state of this file.
[[nodiscard]] std::optional<slow_state> parse_state(const slow_identity& identity, std::span<const std::byte> bytes);

} // namespace slow_layout

} // namespace everbloom
