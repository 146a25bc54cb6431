// Moving a run of bits up or down within an array, as memmove does with bytes.
//
// A packed array opens a gap for a new cell by moving everything behind it up, and closes it again by moving it down. Bits outside
// the target range stay as they are; the caller writes or clears what was left behind.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>

#include <cstdint>
#include <cstring>

namespace everbloom {

namespace detail {

/// `kept` where the mask is zero, `moved` where it is one.
[[nodiscard]] constexpr std::uint64_t blend(std::uint64_t kept, std::uint64_t moved, std::uint64_t mask) noexcept {
    return (kept & ~mask) | (moved & mask);
}

// Two words at a time, in whatever registers the machine has.
using two_words = std::uint64_t __attribute__((vector_size(16)));

[[nodiscard]] inline two_words load_two(const std::uint64_t* words) noexcept {
    two_words loaded;
    std::memcpy(&loaded, words, sizeof loaded);
    return loaded;
}
inline void store_two(std::uint64_t* words, const two_words& value) noexcept {
    std::memcpy(words, &value, sizeof value);
}

} // namespace detail

/// The bits [from, end) become [from + by, end + by).
inline void move_bits_up(std::uint64_t* words, std::uint64_t from, std::uint64_t end, std::uint64_t by) noexcept {
    if (from >= end || by == 0) return;
    const std::uint64_t skip = by / word_bits;
    const auto shift = static_cast<unsigned>(by % word_bits);
    const std::uint64_t first = (from + by) / word_bits;
    const std::uint64_t last = (end + by - 1) / word_bits;
    const auto word_for = [&](std::uint64_t at) noexcept {
        const std::uint64_t high = words[at - skip] << shift;
        const bool has_lower = shift != 0 && at > skip;
        return has_lower ? high | words[at - skip - 1] >> (word_bits - shift) : high;
    };
    const std::uint64_t from_first = ~low_mask(static_cast<unsigned>((from + by) % word_bits));
    const std::uint64_t to_last = low_mask(static_cast<unsigned>((end + by - 1) % word_bits + 1));
    // From the top, so that nothing is overwritten before it was moved.
    if (first == last) {
        words[last] = detail::blend(words[last], word_for(last), from_first & to_last);
        return;
    }
    words[last] = detail::blend(words[last], word_for(last), to_last);
    if (shift == 0) {
        for (std::uint64_t at = last - 1; at > first; --at) words[at] = words[at - skip];
    } else {
        std::uint64_t at = last - 1;
        for (; at > first + 2; at -= 2) {
            const std::uint64_t* const source = words + (at - skip - 1);
            detail::store_two(words + (at - 1),
                              detail::load_two(source) << shift | detail::load_two(source - 1) >> (word_bits - shift));
        }
        for (; at > first; --at) {
            words[at] = words[at - skip] << shift | words[at - skip - 1] >> (word_bits - shift);
        }
    }
    words[first] = detail::blend(words[first], word_for(first), from_first);
}

/// The bits [from, end) become [from - by, end - by); from >= by.
inline void move_bits_down(std::uint64_t* words, std::uint64_t from, std::uint64_t end, std::uint64_t by) noexcept {
    if (from >= end || by == 0) return;
    const std::uint64_t skip = by / word_bits;
    const auto shift = static_cast<unsigned>(by % word_bits);
    const std::uint64_t first = (from - by) / word_bits;
    const std::uint64_t last = (end - by - 1) / word_bits;
    const std::uint64_t highest = (end - 1) / word_bits; // no bit is looked for in a word beyond
    const auto word_for = [&](std::uint64_t at) noexcept {
        const std::uint64_t low = words[at + skip] >> shift;
        const bool has_higher = shift != 0 && at + skip < highest;
        return has_higher ? low | words[at + skip + 1] << (word_bits - shift) : low;
    };
    const std::uint64_t from_first = ~low_mask(static_cast<unsigned>((from - by) % word_bits));
    const std::uint64_t to_last = low_mask(static_cast<unsigned>((end - by - 1) % word_bits + 1));
    if (first == last) {
        words[first] = detail::blend(words[first], word_for(first), from_first & to_last);
        return;
    }
    words[first] = detail::blend(words[first], word_for(first), from_first);
    if (shift == 0) {
        for (std::uint64_t at = first + 1; at < last; ++at) words[at] = words[at + skip];
    } else {
        std::uint64_t at = first + 1;
        for (; at + 2 <= last; at += 2) {
            const std::uint64_t* const source = words + at + skip;
            detail::store_two(words + at, detail::load_two(source) >> shift | detail::load_two(source + 1)
                                                                                  << (word_bits - shift));
        }
        for (; at < last; ++at) {
            words[at] = words[at + skip] >> shift | words[at + skip + 1] << (word_bits - shift);
        }
    }
    words[last] = detail::blend(words[last], word_for(last), to_last);
}

} // namespace everbloom
