// Content checks that every filter makes before it accepts the words of a file.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/core/result.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace everbloom {

/// The padding after the last cell is zero: every bit from `used_bits` on.
[[nodiscard]] inline result<void> check_tail(std::span<const std::uint64_t> words, std::uint64_t used_bits,
                                             std::string_view cells) {
    if (tail_is_zero(words, used_bits)) return {};
    return fail(failure_reason::damaged, "a bit is set after the end of the " + std::string(cells));
}

/// Every bit that is set in `words` is set in `among`, too; both have the same length.
[[nodiscard]] inline bool is_subset(std::span<const std::uint64_t> words,
                                    std::span<const std::uint64_t> among) noexcept {
    return std::equal(words.begin(), words.end(), among.begin(),
                      [](std::uint64_t inner, std::uint64_t outer) { return (inner & ~outer) == 0; });
}

} // namespace everbloom
