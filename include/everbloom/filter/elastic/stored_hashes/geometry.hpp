// Page arithmetic of stored hashes: in which page and bin a hash lies, and how far a resize of the pages has come.
//
// A stored hash is the first w bits of a hash, at the top of a 64-bit word. The sorted multiset of them is cut into pages, and a
// page into eight bins, by the product of the hash and the number of bins:
//
//      hash * bins  =  | bin : high word | place within the bin : low word |
//
// As in a quotient filter, the bin is known from where a hash lies, and only the remainder is stored: the top bits of the place, as
// many as tell all hashes of one bin apart, w - log2(bins) of them, but no fewer than a counter needs. Bin and remainder give the
// hash back. The bin only grows with the hash, so pages in order hold the hashes in order. Any number of pages serves the same
// hashes: the multiset can be rewritten with more pages or fewer in one pass from its first to its last hash.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace everbloom {

/// The bits of a 64-bit hash that are stored.
[[nodiscard]] constexpr std::uint64_t stored_mask(std::uint64_t word_bits) noexcept {
    return ~low_mask(64 - static_cast<unsigned>(word_bits));
}

/// All hashes from `lowest` to `highest`, both included.
struct hash_range {
    std::uint64_t lowest = 0;
    std::uint64_t highest = ~std::uint64_t{0};
};

/// The bin of a hash, and what a slot of that bin stores of it.
struct hash_place {
    static constexpr std::uint64_t page_bins = 8;

    std::uint64_t bin;
    std::uint64_t remainder;

    [[nodiscard]] constexpr std::uint64_t page() const noexcept { return bin / page_bins; }
    [[nodiscard]] constexpr unsigned bin_in_page() const noexcept { return static_cast<unsigned>(bin % page_bins); }

    friend constexpr bool operator==(const hash_place&, const hash_place&) = default;
};

class hash_geometry {
public:
    static constexpr std::uint64_t page_bins = hash_place::page_bins;
    static constexpr std::uint64_t header_words = 2;
    /// A slot is never narrower than the counter of copies, so that a count that fits once fits into pages of any number.
    static constexpr unsigned counter_bits = 20;
    static constexpr std::uint64_t tail_bits = 56;    // unused, so that any slot can be read by a load of eight bytes
    static constexpr std::uint64_t least_slots = 128; // of a page; what is left of its last cache line makes a few more
    /// 2^28 pages hold 3 * 10^10 hashes; products of two numbers of bins stay within 64 bits.
    static constexpr std::uint64_t most_pages = std::uint64_t{1} << 28;

    constexpr hash_geometry() noexcept = default;
    /// 1 <= pages <= most_pages, 6 <= word_bits <= 64.
    constexpr hash_geometry(std::uint64_t pages, unsigned word_bits) noexcept
        : pages_(pages), bins_(pages * page_bins), unit_bits_(64 - word_bits),
          quotient_(bins_ == 0 ? 0 : ~std::uint64_t{0} / bins_),
          page_width_(pages == 0 ? 0 : ~std::uint64_t{0} / pages),
          slot_bits_(std::max(counter_bits, word_bits - std::min(word_bits, floor_log2(bins_)))) {
        page_words_ = page_words_for(slot_bits_);
        slots_ = static_cast<unsigned>(((page_words_ - header_words) * 64 - tail_bits) / slot_bits_);
    }

    /// Whole cache lines for the header and the least number of slots.
    [[nodiscard]] static constexpr std::uint64_t page_words_for(unsigned slot_bits) noexcept {
        return (header_words + ceil_divide(least_slots * slot_bits + tail_bits, 64) + line_words - 1) / line_words *
               line_words;
    }

    [[nodiscard]] constexpr std::uint64_t pages() const noexcept { return pages_; }
    [[nodiscard]] constexpr std::uint64_t bins() const noexcept { return bins_; }
    [[nodiscard]] constexpr unsigned slot_bits() const noexcept { return slot_bits_; }
    [[nodiscard]] constexpr unsigned slots() const noexcept { return slots_; } // of one page
    [[nodiscard]] constexpr std::uint64_t page_words() const noexcept { return page_words_; }
    [[nodiscard]] constexpr std::uint64_t page_lines() const noexcept { return page_words_ / line_words; }
    /// Of a 64-bit hash.
    [[nodiscard]] constexpr unsigned unused_bits() const noexcept { return unit_bits_; }
    /// How many 64-bit hashes lead to a bin, and to a page, rounded down.
    [[nodiscard]] constexpr std::uint64_t bin_width() const noexcept { return quotient_; }
    [[nodiscard]] constexpr std::uint64_t page_width() const noexcept { return page_width_; }

    /// The bits of a 64-bit hash that are stored.
    [[nodiscard]] constexpr std::uint64_t stored_mask() const noexcept { return ~low_mask(unit_bits_); }
    /// A range that begins and ends with a stored hash and has the same ones. Only stored hashes have a place of their own: a number
    /// between two of them can share the place of either. `lowest` is above `highest` if there are none.
    [[nodiscard]] constexpr hash_range stored_within(const hash_range& range) const noexcept {
        const std::uint64_t mask = stored_mask();
        if (range.lowest > mask) return {1, 0};
        return {(range.lowest + ~mask) & mask, range.highest & mask};
    }

    [[nodiscard]] constexpr std::uint64_t page_of(std::uint64_t hash) const noexcept { return reduce(hash, pages_); }

    [[nodiscard]] constexpr hash_place place_of(std::uint64_t hash) const noexcept {
        const wide_product product = multiply_wide(hash, bins_);
        return {product.high, product.low >> (64 - slot_bits_)};
    }

    /// Undoes `place_of`.
    [[nodiscard]] constexpr std::uint64_t hash_at(const hash_place& place) const noexcept {
        return hash_at(place, start_of_bin(place.bin));
    }
    /// The same for many hashes of a bin, which share its start.
    [[nodiscard]] constexpr std::uint64_t hash_at(const hash_place& place, std::uint64_t start) const noexcept {
        const std::uint64_t in_bin = multiply_wide(place.remainder << (64 - slot_bits_), quotient_).high;
        const std::uint64_t round = (std::uint64_t{1} << unit_bits_) - 1;
        const std::uint64_t guess = start + in_bin + round; // before rounding down to whole units
        // The guess is up to `slack` too low. That matters only where this makes another unit of it.
        if (((guess ^ (guess + slack)) & ~round) == 0) [[likely]]
            return guess & ~round;
        std::uint64_t hash = guess & ~round;
        for (std::uint64_t step = 0; step <= slack && place_of(hash) != place; ++step) hash += round + 1;
        return hash;
    }

    /// `hash_at` for many hashes of a bin in a row, with all that they share in registers.
    class bin_hashes {
    public:
        constexpr bin_hashes(const hash_geometry& geometry, std::uint64_t start) noexcept
            : shift_(64 - geometry.slot_bits_), quotient_(geometry.quotient_),
              units_(~((std::uint64_t{1} << geometry.unit_bits_) - 1)), start_(start + ~units_) {}

        /// Right if `is_sure` says so after the last one; otherwise ask hash_at.
        [[nodiscard]] constexpr std::uint64_t hash_at(std::uint64_t remainder) noexcept {
            const std::uint64_t guess = start_ + multiply_wide(remainder << shift_, quotient_).high;
            unsure_ |= (guess ^ (guess + slack)) & units_;
            return guess & units_;
        }
        [[nodiscard]] constexpr bool is_sure() const noexcept { return unsure_ == 0; }

    private:
        unsigned shift_;
        std::uint64_t quotient_;
        std::uint64_t units_;
        std::uint64_t start_;
        std::uint64_t unsure_ = 0;
    };

    /// Where a bin begins, or a little before.
    [[nodiscard]] constexpr std::uint64_t start_of_bin(std::uint64_t bin) const noexcept {
        // 2^64 - 1 = quotient * bins + rest
        const std::uint64_t rest = ~std::uint64_t{0} - quotient_ * bins_;
        return bin * quotient_ + bin * rest / bins_;
    }

    /// The hashes of a page.
    [[nodiscard]] constexpr hash_range range_of_page(std::uint64_t page) const noexcept {
        return {start_of_page(page), page + 1 == pages_ ? ~std::uint64_t{0} : start_of_page(page + 1) - 1};
    }
    /// The smallest 64-bit hash of a page, or above all hashes for the page behind the last. Not a stored hash, where fewer than 64
    /// bits are stored: of two hashes with the same stored bits, one may lie before it and one behind. Compare stored hashes with it.
    [[nodiscard]] constexpr std::uint64_t start_of_page(std::uint64_t page) const noexcept {
        return start_of(page, pages_);
    }

    /// The smallest 64-bit number that `reduce` sends to `index`: ceil(index * 2^64 / range). For index = range, the largest number.
    [[nodiscard]] static constexpr std::uint64_t start_of(std::uint64_t index, std::uint64_t range) noexcept {
        if (index == 0) return 0;
        if (index >= range) return ~std::uint64_t{0};
        return start_of(index, range, ~std::uint64_t{0} / range);
    }
    /// The same of index < range, with quotient = (2^64 - 1) / range, rounded down.
    [[nodiscard]] static constexpr std::uint64_t start_of(std::uint64_t index, std::uint64_t range,
                                                          std::uint64_t quotient) noexcept {
        // 2^64 - 1 = quotient * range + rest, so index * 2^64 = index * quotient * range + index * (rest + 1).
        const std::uint64_t rest = ~std::uint64_t{0} - quotient * range + 1;
        if (range <= std::uint64_t{1} << 32) {
            // What is left is divided, rounded up, by a multiplication: the quotient is at most one too low.
            const std::uint64_t dividend = index * rest;
            const std::uint64_t divided = multiply_wide(dividend, quotient).high;
            const std::uint64_t left = dividend - divided * range;
            return index * quotient + divided + (left > 0 ? 1 : 0) + (left > range ? 1 : 0);
        }
        return divide_wide({range - 1, index}, range);
    }

    /// From `start_of` an index to the number before that of the next one, without branches where the range is at most 2^32.
    [[nodiscard]] static constexpr hash_range range_of(std::uint64_t index, std::uint64_t range,
                                                       std::uint64_t quotient) noexcept {
        if (range > std::uint64_t{1} << 32) [[unlikely]]
            return {start_of(index, range), index + 1 == range ? ~std::uint64_t{0} : start_of(index + 1, range) - 1};
        // As in start_of. Of the next index, as much more than a multiple of `range` is left as there are numbers that `quotient` leaves out.
        const std::uint64_t rest = ~std::uint64_t{0} - quotient * range + 1;
        const std::uint64_t dividend = index * rest;
        const std::uint64_t divided = multiply_wide(dividend, quotient).high;
        const std::uint64_t left = dividend - divided * range;
        const std::uint64_t next = left + rest;
        const std::uint64_t start = index * quotient + divided;
        return {start + (left > 0 ? 1 : 0) + (left > range ? 1 : 0),
                start + quotient + (next > 0 ? 1 : 0) + (next > range ? 1 : 0) + (next > 2 * range ? 1 : 0) - 1};
    }

    friend constexpr bool operator==(const hash_geometry&, const hash_geometry&) = default;

private:
    static constexpr std::uint64_t slack = 4;

    [[nodiscard]] static constexpr unsigned floor_log2(std::uint64_t value) noexcept {
        return value == 0 ? 0 : static_cast<unsigned>(std::bit_width(value)) - 1;
    }
    std::uint64_t pages_ = 0;
    std::uint64_t bins_ = 0;
    unsigned unit_bits_ = 0;
    std::uint64_t quotient_ = 0;
    std::uint64_t page_width_ = 0;
    unsigned slot_bits_ = counter_bits;
    std::uint64_t page_words_ = 0;
    unsigned slots_ = 0;
};

/// The page counts that a spec keeps, during a resize both those of the old pages and those of the new; `next_pages` is 0 at rest.
struct resize_progress {
    std::uint64_t pages = 0;
    std::uint64_t overflow_pages = 0; // in use
    std::uint64_t next_pages = 0;
    std::uint64_t next_overflow_pages = 0;
    std::uint64_t moved = 0; // old pages that are empty

    friend constexpr bool operator==(const resize_progress&, const resize_progress&) = default;

    /// Hashes below this are in the new pages.
    [[nodiscard]] constexpr std::uint64_t frontier() const noexcept {
        return next_pages == 0 ? 0 : hash_geometry::start_of(moved, pages);
    }
    /// How many of the new pages have been begun.
    [[nodiscard]] constexpr std::uint64_t begun_pages() const noexcept {
        return frontier() == 0 ? 0 : reduce(frontier() - 1, next_pages) + 1;
    }
    /// Cache lines of each section: old pages, their overflow pages, new pages, their overflow pages.
    [[nodiscard]] constexpr std::array<std::uint64_t, 4> section_lines(std::uint64_t word_bits) const noexcept {
        const auto width = static_cast<unsigned>(word_bits);
        const std::uint64_t now = hash_geometry(pages, width).page_lines();
        const std::uint64_t next = next_pages == 0 ? 0 : hash_geometry(next_pages, width).page_lines();
        return {(pages - moved) * now, overflow_pages * now, begun_pages() * next, next_overflow_pages * next};
    }

    /// Whether the numbers are in range and agree. The messages name the fields of a spec.
    [[nodiscard]] result<void> check() const {
        const auto refuse = [](const std::string& sentence) { return fail(failure_reason::bad_parameter, sentence); };
        // Eight full bins of 255 slots take a page and fifteen overflow pages.
        constexpr std::uint64_t most_overflow = 15;
        const auto is_count = [](std::uint64_t count) { return count >= 1 && count <= hash_geometry::most_pages; };
        if (!is_count(pages)) return refuse("pages is " + std::to_string(pages) + "; it must be 1 to 2^28");
        if (next_pages != 0 && !is_count(next_pages)) {
            return refuse("next_pages is " + std::to_string(next_pages) + "; it must be at most 2^28");
        }
        if (overflow_pages > most_overflow * pages) return refuse("spares is larger than the pages can need");
        if (next_overflow_pages > most_overflow * next_pages) {
            return refuse("next_spares is larger than the next pages can need");
        }
        if (next_pages == 0 ? moved != 0 : moved >= pages) {
            return refuse("moved is " + std::to_string(moved) +
                          "; it must be less than the number of pages, and 0 at rest");
        }
        return {};
    }
};

} // namespace everbloom
