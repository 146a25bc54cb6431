#include "commands/uniq/key_filtering.hpp"

#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <chrono>

namespace everbloom::cli {

result<void> key_filtering::take(const hashed_keys& keys, char separator, std::string& output) {
    line_copier printer(separator, output);
    auto done = choose(keys, printer);
    printer.finish(); // also after a failure: what was chosen before it has been seen
    return done;
}

result<void> key_filtering::choose(const hashed_keys& keys, line_copier& printer) {
    std::array<std::uint8_t, batch_items> answers{};
    for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, keys.digests.size() - from);
        const auto firsts = std::span(answers).first(count);
        const bool forgets = !window_.size().is_endless();
        if (!forgets) {
            auto done = seen_.classify(std::span(keys.digests).subspan(from, count), firsts);
            if (!done) return done;
        }
        for (std::size_t i = 0; i < count; ++i) {
            // Keys that are forgotten are so before the next one is looked at.
            if (forgets) {
                if (auto done = classify_in_window(keys, from + i, firsts[i]); !done) return done;
            }
            ++keys_;
            firsts_ += firsts[i];
            bool prints = firsts[i] != 0;
            if (wanted_ != occurrence::first) {
                const auto answer = is_wanted(keys.digests[from + i], prints);
                if (!answer) return fail(answer.error());
                prints = *answer;
            }
            if (!prints) continue;
            ++printed_;
            printer.add(keys.line(from + i));
        }
    }
    return {};
}

result<bool> key_filtering::is_wanted(const digest& key, bool is_first) {
    if (is_first || wanted_ == occurrence::repeated) return !is_first;
    std::uint8_t is_second = 0;
    if (auto done = twice_->classify(std::span(&key, 1), std::span(&is_second, 1)); !done) {
        return fail(std::move(done.error()));
    }
    return is_second != 0;
}

result<void> key_filtering::classify_in_window(const hashed_keys& keys, std::size_t key, std::uint8_t& is_first) {
    std::uint64_t now = 0;
    if (window_.size().seconds != 0) {
        const auto read = time_of(keys.line(key));
        if (!read) return fail(read.error());
        now = *read;
        while (const auto old = window_.take_expired(now)) {
            if (auto gone = forget(*old); !gone) return gone;
        }
    }
    const std::span<const digest> one(&keys.digests[key], 1);
    if (auto done = seen_.classify(one, std::span(&is_first, 1)); !done) return done;
    if (is_first == 0) return {};
    if (const auto old = window_.take_oldest()) {
        if (auto gone = forget(*old); !gone) return gone;
    }
    window_.add(now, keys.digests[key]);
    return {};
}

result<void> key_filtering::forget(const digest& key) {
    if (twice_) { // it is in there if it was seen twice
        std::uint8_t was_new = 0;
        if (auto known = twice_->classify(std::span(&key, 1), std::span(&was_new, 1)); !known) return known;
        if (auto gone = twice_->forget(key); !gone) return gone;
    }
    return seen_.forget(key);
}

result<std::uint64_t> key_filtering::time_of(std::string_view line) {
    if (!times_) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
    }
    arena_.clear();
    const chosen_fields found = choose_fields(line, times_->split, times_->fields, arena_);
    const auto time = found.fault == field_fault::none ? parse_time(found.text) : std::nullopt;
    if (time) return *time;
    return fail(failure_reason::bad_parameter,
                "--time-field: no time in '" + printable(line.substr(0, 80)) +
                    "'; write it as seconds since 1970, 2024-05-01T12:20:00Z, or 01/May/2024:12:20:00 +0000");
}

} // namespace everbloom::cli
