// first_occurrences: tells the first occurrence of a key from the later ones, in the memory of a filter that grows.
//
// The filter's bits sort out most keys that are new; the others are looked up among the hashes it keeps, so hardly ever is a new
// key taken for a repetition. With a window only that many different keys are remembered: the oldest is removed when one more comes.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::cli {

class first_occurrences {
public:
    /// `filter` is empty, can remove, and confirms its answers. `window` 0: remember everything.
    first_occurrences(any_filter filter, std::uint64_t window) : filter_(std::move(filter)), window_(window) {}

    /// is_first[i]: 1 if the key was not among those remembered when its turn came. At most `batch_items` keys.
    [[nodiscard]] result<void> tell(std::span<const digest> keys, std::span<std::uint8_t> is_first);

    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t firsts() const noexcept { return firsts_; }
    [[nodiscard]] const any_filter& filter() const noexcept { return filter_; }

private:
    [[nodiscard]] result<void> remember(const digest& key);

    any_filter filter_;
    std::uint64_t window_;
    std::vector<digest> remembered_; // a ring, if there is a window
    std::uint64_t oldest_ = 0;
    std::uint64_t keys_ = 0;
    std::uint64_t firsts_ = 0;
};

} // namespace everbloom::cli
