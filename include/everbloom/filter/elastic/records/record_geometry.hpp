// Where a record lies: the arithmetic of a sorted multiset of hashes.
//
// A record is a hash of w bits, kept at the top of a 64-bit word. The multiset is cut into pages, and a page into eight bins, by the
// product of the record and the number of bins:
//
//      record * bins  =  | bin : high word | place within the bin : low word |
//
// The bin only grows with the record, so pages in order hold the records in order. Of the place within the bin the top bits are
// stored: as many as tell all records of one bin apart, w - log2(bins) of them, but no fewer than a counter needs. Bin and place give the record back. Since none of
// this depends on what the records are used for, any number of pages serves the same records: the multiset can be written anew with
// more pages or fewer in one pass from its first to its last record.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace everbloom {

/// The bin of a record, and what is stored of it there.
struct record_place {
    std::uint64_t bin;
    std::uint64_t stored;

    friend constexpr bool operator==(const record_place&, const record_place&) = default;
};

class record_geometry {
public:
    static constexpr std::uint64_t page_bins = 8;
    static constexpr std::uint64_t header_words = 2;
    /// A slot is never narrower than the counter of copies, so that a count that fits once fits into pages of any number.
    static constexpr unsigned counter_bits = 20;
    static constexpr std::uint64_t tail_bits = 56;    // unused, so that any slot can be read by a load of eight bytes
    static constexpr std::uint64_t least_slots = 128; // of a page; what is left of its last cache line makes a few more
    /// 2^28 pages hold 3 * 10^10 records; products of two numbers of bins stay within 64 bits.
    static constexpr std::uint64_t most_pages = std::uint64_t{1} << 28;

    constexpr record_geometry() noexcept = default;
    /// 1 <= pages <= most_pages, 8 <= word_bits <= 64.
    constexpr record_geometry(std::uint64_t pages, unsigned word_bits) noexcept
        : pages_(pages), bins_(pages * page_bins), unit_bits_(64 - word_bits),
          quotient_(bins_ == 0 ? 0 : ~std::uint64_t{0} / bins_),
          slot_bits_(std::max(counter_bits, word_bits - std::min(word_bits, floor_log2(bins_)))) {
        page_words_ = (header_words + ceil_divide(least_slots * slot_bits_ + tail_bits, 64) + line_words - 1) /
                      line_words * line_words;
        slots_ = static_cast<unsigned>(((page_words_ - header_words) * 64 - tail_bits) / slot_bits_);
    }

    [[nodiscard]] constexpr std::uint64_t pages() const noexcept { return pages_; }
    [[nodiscard]] constexpr std::uint64_t bins() const noexcept { return bins_; }
    [[nodiscard]] constexpr unsigned slot_bits() const noexcept { return slot_bits_; }
    [[nodiscard]] constexpr unsigned slots() const noexcept { return slots_; } // of one page
    [[nodiscard]] constexpr std::uint64_t page_words() const noexcept { return page_words_; }
    [[nodiscard]] constexpr std::uint64_t page_lines() const noexcept { return page_words_ / line_words; }

    [[nodiscard]] constexpr std::uint64_t page_of(std::uint64_t record) const noexcept {
        return reduce(record, pages_);
    }

    [[nodiscard]] constexpr record_place place_of(std::uint64_t record) const noexcept {
        const wide_product product = multiply_wide(record, bins_);
        return {product.high, product.low >> (64 - slot_bits_)};
    }

    /// Undoes `place_of`.
    [[nodiscard]] constexpr std::uint64_t record_at(const record_place& place) const noexcept {
        return record_at(place, start_of_bin(place.bin));
    }
    /// The same for many records of a bin, which share its start.
    [[nodiscard]] constexpr std::uint64_t record_at(const record_place& place, std::uint64_t start) const noexcept {
        const std::uint64_t in_bin = multiply_wide(place.stored << (64 - slot_bits_), quotient_).high;
        const std::uint64_t round = (std::uint64_t{1} << unit_bits_) - 1;
        const std::uint64_t guess = start + in_bin + round; // before rounding down to whole units
        // The guess is up to `slack` too low. That matters only where this makes another unit of it.
        if (((guess ^ (guess + slack)) & ~round) == 0) [[likely]]
            return guess & ~round;
        std::uint64_t record = guess & ~round;
        for (std::uint64_t step = 0; step <= slack && place_of(record) != place; ++step) record += round + 1;
        return record;
    }

    /// Where a bin begins, or a little before.
    [[nodiscard]] constexpr std::uint64_t start_of_bin(std::uint64_t bin) const noexcept {
        // 2^64 - 1 = quotient * bins + rest
        const std::uint64_t rest = ~std::uint64_t{0} - quotient_ * bins_;
        return bin * quotient_ + bin * rest / bins_;
    }

    /// The smallest record of a page, or above all records for the page behind the last.
    [[nodiscard]] constexpr std::uint64_t start_of_page(std::uint64_t page) const noexcept {
        return start_of(page, pages_);
    }

    /// The smallest 64-bit number that `reduce` sends to `index`: ceil(index * 2^64 / range). For index = range, the largest number.
    [[nodiscard]] static constexpr std::uint64_t start_of(std::uint64_t index, std::uint64_t range) noexcept {
        if (index == 0) return 0;
        if (index >= range) return ~std::uint64_t{0};
        // 2^64 - 1 = quotient * range + rest, so index * 2^64 = index * quotient * range + index * (rest + 1).
        const std::uint64_t quotient = ~std::uint64_t{0} / range;
        const std::uint64_t rest = ~std::uint64_t{0} - quotient * range + 1;
        if (range <= std::uint64_t{1} << 32) return index * quotient + ceil_divide(index * rest, range);
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>(((static_cast<wide>(index) << 64) + (range - 1)) / range);
    }

    friend constexpr bool operator==(const record_geometry&, const record_geometry&) = default;

private:
    static constexpr std::uint64_t slack = 4;

    [[nodiscard]] static constexpr unsigned floor_log2(std::uint64_t value) noexcept {
        return value == 0 ? 0 : static_cast<unsigned>(std::bit_width(value)) - 1;
    }
    std::uint64_t pages_ = 0;
    std::uint64_t bins_ = 0;
    unsigned unit_bits_ = 0;
    std::uint64_t quotient_ = 0;
    unsigned slot_bits_ = counter_bits;
    std::uint64_t page_words_ = 0;
    unsigned slots_ = 0;
};

} // namespace everbloom
