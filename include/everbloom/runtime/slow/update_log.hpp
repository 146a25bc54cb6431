// update_log: the updates that are not merged yet, in the order they came, on disk.
//
// Updates are collected in memory and written as a frame when there are enough of them, or when they must be durable. Frames have
// consecutive numbers and lie one behind the other in segments; the last frame of a full segment names the next one.
//
//      segment   | frame | frame | ... | frame: next segment |
//      frame     | checksum | number of the file | frame number | epoch : 32, entries : 31, is a link : 1 | entries x 64 bits |
//      entry     | hash : word_bits | 0 ... | 1 for an erase |         of a link: the offset of the next segment
//
// The log ends at the first frame that is not whole, or has another number than the next one, or an older epoch than the frame before
// (the epoch counts how often the file was opened for writing: what a crash left behind a torn frame does not come back later).
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/slow/extent_map.hpp>
#include <everbloom/runtime/slow/random_access_file.hpp>
#include <everbloom/runtime/slow/shared_count.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace everbloom {

class update_log {
public:
    static constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 10;
    static constexpr std::size_t header_words = 4;
    static constexpr std::size_t most_entries = 2000; // of a frame; four of them fill a segment

    struct position {
        std::uint64_t offset = 0; // of a segment
        std::uint64_t frame = 0;  // the number of its first frame
    };

    update_log() = default;
    update_log(std::uint64_t file_number, std::uint64_t epoch) : file_number_(file_number), epoch_(epoch) {}

    /// A new log in an empty segment.
    void begin(position first) {
        segments_ = {first};
        next_frame_ = first.frame;
        used_bytes_ = 0;
        frame_.reserve(header_words + most_entries);
        frame_.assign(header_words, 0);
        claimed_ = 0;
    }

    /// Calls `use(frame number, entries)` for every frame from `first` on, and goes on behind the last one.
    [[nodiscard]] result<void>
    replay(random_access_file& file, position first,
           const std::function<result<void>(std::uint64_t, std::span<const std::uint64_t>)>& use);
    /// From now on frames get this epoch.
    void set_epoch(std::uint64_t epoch) noexcept { epoch_ = epoch; }

    /// Remembers an update: see `is_full`.
    void append(std::uint64_t entry) noexcept {
        claimed_ += 1;
        append_promised(entry);
    }
    [[nodiscard]] bool is_full() const noexcept { return !has_room_for(1); }
    [[nodiscard]] bool has_room_for(std::size_t entries) const noexcept { return claimed_ + entries <= most_entries; }
    [[nodiscard]] bool has_unwritten() const noexcept { return frame_.size() != header_words; }

    // Threads that share a log promise first what they will append, and append as many updates or fewer.

    /// A promise that the frame has room for, without the lock of the log. False if it has none.
    [[nodiscard]] bool promise_in_frame(std::size_t entries) noexcept {
        if (claimed_.add(entries) + entries <= most_entries) [[likely]]
            return true;
        claimed_ -= entries;
        return false;
    }
    /// A promise with memory of its own. Many of them may be more than a frame; `write` makes several frames of them then.
    void promise(std::size_t entries) {
        const std::uint64_t before = claimed_.add(entries);
        try {
            frame_.reserve(static_cast<std::size_t>(header_words + before + entries));
        } catch (...) {
            claimed_ -= entries;
            throw;
        }
    }
    void append_promised(std::uint64_t entry) noexcept { frame_.push_back(entry); }
    /// This number fewer were appended than promised.
    void give_back_promise(std::size_t entries) noexcept { claimed_ -= entries; }

    /// Writes what was appended as a frame; it is not durable yet. After a failure nothing is lost: try again.
    [[nodiscard]] result<void> write(random_access_file& file, extent_map& space);

    /// The number that the next frame to be written will have.
    [[nodiscard]] std::uint64_t next_frame() const noexcept { return next_frame_; }
    [[nodiscard]] position first() const noexcept { return segments_.front(); }
    [[nodiscard]] const std::vector<position>& segments() const noexcept { return segments_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return segments_.size() * segment_bytes; }

    /// Forgets segments with frames before this number only, and appends them to `gone`.
    void forget_before(std::uint64_t frame, std::vector<extent>& gone);

private:
    [[nodiscard]] result<void> put_frame(random_access_file& file, std::uint64_t segment,
                                         std::span<std::uint64_t> frame, bool is_link);

    std::uint64_t file_number_ = 0;
    std::uint64_t epoch_ = 0;
    std::vector<position> segments_; // the oldest first; a deque would take memory even to be moved
    std::uint64_t used_bytes_ = 0;   // of the last segment
    std::uint64_t next_frame_ = 0;
    std::vector<std::uint64_t> frame_; // with room for its header
    shared_count claimed_;             // updates in the frame, and those that will be appended
};

} // namespace everbloom
