// Choosing some of the items of a line, and taking them along: a line is split, or items move out of it.
//
// Which ones is told by a bit for each slot. Where pext is fast, every field is a few words of which it keeps the chosen bits, so the
// number of items hardly matters; elsewhere line_builder appends them one by one. Compiled once, in src/quotient_sieve.cpp.
#pragma once

#include <everbloom/filter/kernel/modern_x86.hpp>
#include <everbloom/filter/quotient/quotient_places.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace everbloom {

/// A line that is being filled from its first bucket to its last.
class line_builder {
public:
    explicit line_builder(const line_shape& shape) noexcept : shape_(shape) {}

    void append(unsigned bucket, stored_item item) noexcept {
        const unsigned end = 1 + bucket + items_;
        zeros_[end / 64] |= std::uint64_t{1} << end % 64;
        put(shape_.extensions_at + items_ * shape_.extension_bits, item.extension);
        put(shape_.bytes_at + items_ * 8, item.byte);
        ++items_;
    }
    void write_to(std::uint64_t* line) const noexcept {
        const unsigned ends = 1 + shape_.buckets + items_;
        std::copy(words_.begin(), words_.end(), line);
        line[0] |= low_mask(ends) & ~zeros_[0];
        line[1] |= low_mask(ends > 64 ? ends - 64 : 0) & ~zeros_[1];
    }

private:
    void put(unsigned at, std::uint64_t value) noexcept {
        words_[at / 64] |= value << at % 64;
        if (at % 64 != 0 && at / 64 + 1 < line_words) words_[at / 64 + 1] |= value >> (64 - at % 64);
    }

    const line_shape& shape_;
    unsigned items_ = 0;
    std::array<std::uint64_t, 2> zeros_{};
    std::array<std::uint64_t, line_words> words_{};
};

/// Some items of a line, and the buckets of all.
struct chosen_items {
    std::uint64_t slots = 0;
    alignas(32) std::array<std::uint8_t, 64 + 32> buckets;
};

#if defined(EVERBLOOM_MODERN_X86)
/// Only where `kernel::fast_pdep` is true.
struct line_sieve {
    /// Bit i: the lowest bit of the extension in slot i. There are extensions; what is behind the last slot is not specified.
    [[nodiscard]] static std::uint64_t lowest_bits(const std::uint64_t* line, const line_shape& shape) noexcept;
    /// Makes a line of the items in the slots `kept`. Its shape is the same, or that of one level ahead: then the lowest bit of each
    /// extension is left out. `made` may be the line itself.
    static void keep(const std::uint64_t* line, const line_shape& shape, std::uint64_t kept,
                     const line_shape& made_shape, std::uint64_t* made) noexcept;
    /// The items that `others` includes; its level is at most 16.
    static void choose(const std::uint64_t* line, const line_shape& shape, const quotient_places::roomy_others& others,
                       chosen_items& chosen) noexcept;
};
#endif

} // namespace everbloom
