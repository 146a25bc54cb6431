// stream_position: how far one direction of a TCP connection has been read, and which bytes of the next segment are new.
//
//     ---- read ----|  hole  |---- read ----| next
//                                           [segment)      in order
//                                    [segment)             in order, its first bytes repeated: they are trimmed
//                                                [segment) after a gap, which becomes the hole
//                    [segment)                             late: it fills the hole
//         [segment)                                        repeated
//
// One hole is remembered, the last one; with those before it, late segments count as repeated ones. Sequence numbers wrap around at 2^32,
// so all comparisons are of distances from `next`. Out-of-order segments are not put in order: that would need a buffer per connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace everbloom::cli {

/// Bytes [from, to) of a stream; empty if equal.
struct sequence_range {
    std::uint32_t from = 0;
    std::uint32_t to = 0;

    [[nodiscard]] constexpr bool empty() const noexcept { return from == to; }
    friend constexpr bool operator==(const sequence_range&, const sequence_range&) = default;
};

enum class segment_order : std::uint8_t { in_order, after_gap, late, repeated };

/// The new bytes of a segment: `fresh` of them, `skipped` bytes from its beginning.
struct placed_segment {
    segment_order order = segment_order::repeated;
    std::uint32_t skipped = 0;
    std::uint32_t fresh = 0;
    bool has_old_bytes = false;  // it repeats bytes that were seen before
    bool touches_struck = false; // and some of those were in a segment with a pattern
};

struct stream_position {
    std::uint32_t next = 0; // the sequence number that continues the stream
    sequence_range hole;    // bytes that were not seen
    sequence_range struck;  // the last segment in which a pattern ended

    friend constexpr bool operator==(const stream_position&, const stream_position&) = default;
};

/// A segment that is further back begins a new stream with the same addresses and ports: no window is so large in practice.
inline constexpr std::int64_t most_bytes_back = std::int64_t{1} << 24;

/// Distance of two sequence numbers, positive if `to` comes after `from`.
[[nodiscard]] constexpr std::int64_t sequence_distance(std::uint32_t from, std::uint32_t to) noexcept {
    return static_cast<std::int32_t>(to - from);
}

/// Drops a range that is too far back to be told from one of the next round of numbers.
constexpr void forget_if_far_back(sequence_range& range, std::uint32_t next) noexcept {
    if (sequence_distance(next, range.from) > 0 || sequence_distance(next, range.from) < -most_bytes_back) range = {};
}

/// The piece of the hole that a segment [begin, end) fills. Distances are from `next`. The larger remaining piece stays the hole.
constexpr placed_segment fill_hole(stream_position& stream, std::int64_t begin, std::int64_t end) noexcept {
    const std::int64_t hole_begin = sequence_distance(stream.next, stream.hole.from);
    const std::int64_t hole_end = sequence_distance(stream.next, stream.hole.to);
    const std::int64_t from = std::max(begin, hole_begin);
    const std::int64_t to = std::min(end, hole_end);
    if (stream.hole.empty() || from >= to) return {.has_old_bytes = true};
    if (from - hole_begin > hole_end - to)
        stream.hole.to = stream.next + static_cast<std::uint32_t>(from);
    else
        stream.hole.from = stream.next + static_cast<std::uint32_t>(to);
    return {.order = segment_order::late,
            .skipped = static_cast<std::uint32_t>(from - begin),
            .fresh = static_cast<std::uint32_t>(to - from),
            .has_old_bytes = to - from != end - begin};
}

/// Advances the stream by a segment of `bytes` bytes.
[[nodiscard]] constexpr placed_segment place_segment(stream_position& stream, std::uint32_t sequence,
                                                     std::uint32_t bytes) noexcept {
    forget_if_far_back(stream.hole, stream.next);
    forget_if_far_back(stream.struck, stream.next);
    const std::int64_t begin = sequence_distance(stream.next, sequence);
    const std::int64_t end = begin + std::int64_t{bytes};
    if (begin < -most_bytes_back) {
        stream = {.next = sequence + bytes, .hole = {}, .struck = {}};
        return {.order = segment_order::after_gap, .fresh = bytes};
    }
    placed_segment placed;
    if (begin >= 0) {
        placed = {.order = begin == 0 ? segment_order::in_order : segment_order::after_gap, .fresh = bytes};
        if (begin > 0) stream.hole = {stream.next, sequence};
    } else if (end > 0) {
        placed = {.order = segment_order::in_order,
                  .skipped = static_cast<std::uint32_t>(-begin),
                  .fresh = static_cast<std::uint32_t>(end),
                  .has_old_bytes = true};
    } else {
        placed = fill_hole(stream, begin, end);
    }
    placed.touches_struck = placed.has_old_bytes && begin < sequence_distance(stream.next, stream.struck.to) &&
                            sequence_distance(stream.next, stream.struck.from) < end && !stream.struck.empty();
    if (end > 0) stream.next = sequence + bytes;
    return placed;
}

} // namespace everbloom::cli
