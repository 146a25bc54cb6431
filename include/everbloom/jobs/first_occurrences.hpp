// first_occurrences: distinguishes the first occurrence of a key from repetitions, with a filter that grows.
//
// The bits of the filter rule out most new keys; the others are looked up among its stored hashes, so a new key is taken for a repetition
// only if its hash equals a stored one. With a window only that many distinct keys are remembered: each new key removes the oldest.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom {

class first_occurrences {
public:
    /// With an elastic_blocked filter of this initial capacity; it grows as needed.
    [[nodiscard]] static result<first_occurrences> make(std::uint64_t capacity, std::uint64_t window = 0);
    /// `filter` can remove, and confirms its answers; the keys in it are remembered, outside of the window. `window` 0: remember everything.
    first_occurrences(any_filter filter, std::uint64_t window) : filter_(std::move(filter)), window_(window) {}

    /// is_first[i]: 1 if the key was not remembered at that point, otherwise 0. Both spans have the same length. The failure `no_room`
    /// means that there is no memory for more distinct keys: a window bounds them.
    [[nodiscard]] result<void> classify(std::span<const digest> keys, std::span<std::uint8_t> is_first);

    /// The next occurrence of the key is a first one again. For windows of the caller's own; the key is remembered now.
    [[nodiscard]] result<void> forget(const digest& key);

    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t firsts() const noexcept { return firsts_; }
    [[nodiscard]] const any_filter& filter() const noexcept { return filter_; }
    [[nodiscard]] any_filter take_filter() && noexcept { return std::move(filter_); }

private:
    [[nodiscard]] result<void> classify_batch(std::span<const digest> keys, std::span<std::uint8_t> is_first);
    [[nodiscard]] result<void> classify_in_order(std::span<const digest> keys, std::span<std::uint8_t> is_first);
    [[nodiscard]] result<void> remember(const digest& key);
    [[nodiscard]] unexpected<failure> no_room() const;

    any_filter filter_;
    std::uint64_t window_;
    std::vector<digest> remembered_; // a ring, if there is a window
    std::uint64_t oldest_ = 0;
    std::uint64_t keys_ = 0;
    std::uint64_t firsts_ = 0;
};

} // namespace everbloom
