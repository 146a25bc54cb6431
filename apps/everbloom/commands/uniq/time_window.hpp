// time_window: how long `uniq` remembers a key: all the time, for the last N distinct keys, or for a time such as an hour.
//
// A time counts from the first occurrence: a line that comes again and again is printed once an hour. It is the time of arrival, or a
// timestamp in the line. Timestamps that go back are taken as the latest one before them.
#pragma once

#include "keys/fields.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct window_size {
    std::uint64_t keys = 0;    // 0: no limit
    std::uint64_t seconds = 0; // 0: no limit

    [[nodiscard]] bool is_endless() const noexcept { return keys == 0 && seconds == 0; }
    /// "10M" is a number of keys; "90s", "15m", "1h" and "7d" are times.
    [[nodiscard]] static result<window_size> parse(const std::string& text);
};

/// Seconds since 1970: 1714566000, 1714566000.25, 2024-05-01T12:20:00Z, 2024-05-01 12:20:00, 01/May/2024:12:20:00 +0000; a bracket before it
/// is ignored, and a time without a zone is UTC.
[[nodiscard]] std::optional<std::uint64_t> parse_time(std::string_view text);

/// Keys in the order of their first occurrence.
class key_window {
public:
    struct entry {
        std::uint64_t time;
        digest key;
    };

    explicit key_window(window_size size) noexcept : size_(size) {}

    /// The key that is too old at this time, if there is one: it is to be forgotten, and is in the window no more.
    [[nodiscard]] std::optional<digest> take_expired(std::uint64_t now);
    /// The key that has to make room for a new one.
    [[nodiscard]] std::optional<digest> take_oldest();
    void add(std::uint64_t now, const digest& key);

    [[nodiscard]] const std::deque<entry>& entries() const noexcept { return entries_; }
    [[nodiscard]] const window_size& size() const noexcept { return size_; }

private:
    window_size size_;
    std::deque<entry> entries_;
    std::uint64_t latest_ = 0;
};

} // namespace everbloom::cli
