// One line of a quotient filter: 64 bytes that hold up to `slots` items in `buckets` buckets, sorted by bucket.
//
// Which bucket an item is in is not stored with it; the ends of the buckets are marked instead, which takes little more than one bit
// per item. A line is a number of 512 bits with three fields:
//
//   ends         1 bit that is set, then for every bucket a 0 per item and a 1 behind them:  1 + buckets + slots bits
//   extensions   e bits per item, in the order of the buckets                                e * slots bits
//   bytes        8 bits per item, in the same order; they end where the line ends            8 * slots bits
//
// With the first bit set, the n-th set bit is where bucket n starts. Whatever is not in use is zero. An item that comes or goes shifts
// what is behind it in each of the three fields (line_fields.hpp).
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/filter/quotient/line_fields.hpp>
#include <everbloom/filter/quotient/quotient_select.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace everbloom {

/// Where the fields of a line are; follows from the number of buckets and the width of an extension.
struct line_shape {
    unsigned buckets = 0;
    unsigned extension_bits = 0;
    unsigned slots = 0;
    unsigned extensions_at = 0; // first bit
    unsigned extensions_end = 0;
    unsigned bytes_at = 0;
    unsigned first_byte = 0; // bytes_at as a number of bytes
    unsigned ample_room = 0; // a line with more free slots than that is taken without a look at the other
    std::array<std::uint64_t, 2> ends = {}; // the bits of the first two words that are ends
    // The bits of the fields: of the first half of a line, and of all of it.
    std::array<std::uint64_t, line_words / 2> field_of_ends = {};
    std::array<std::uint64_t, line_words> field_of_extensions = {};

    /// The ends of all buckets are in the first two words.
    static constexpr unsigned most_ends = 2 * word_bits;

    /// For which no whole shape is needed.
    [[nodiscard]] static constexpr unsigned slots_of(unsigned buckets, unsigned extension_bits) noexcept {
        return std::min((static_cast<unsigned>(line_bits) - 1 - buckets) / (9 + extension_bits),
                        most_ends - 1 - buckets);
    }

    constexpr line_shape() noexcept = default;
    constexpr line_shape(unsigned wanted_buckets, unsigned wanted_extension_bits) noexcept
        : buckets(wanted_buckets), extension_bits(wanted_extension_bits), slots(slots_of(buckets, extension_bits)),
          extensions_at(1 + buckets + slots), extensions_end(extensions_at + extension_bits * slots),
          bytes_at(static_cast<unsigned>(line_bits) - 8 * slots), first_byte(bytes_at / 8), ample_room(slots * 3 / 10),
          ends{low_mask(extensions_at), low_mask(extensions_at > 64 ? extensions_at - 64 : 0)},
          field_of_ends{ends[0], ends[1]} {
        for (unsigned word = extensions_at / 64; word * 64 < extensions_end; ++word) {
            field_of_extensions[word] = kernel::bits_within(word, extensions_at, extensions_end);
        }
    }
};

/// What a line stores of an item besides its bucket.
struct stored_item {
    std::uint32_t extension = 0;
    std::uint8_t byte = 0;

    friend constexpr bool operator==(const stored_item&, const stored_item&) = default;
};

/// The items of a bucket: `length` slots from `first` on; their ends begin at the bit `at`.
struct bucket_range {
    unsigned first = 0;
    unsigned length = 0;
    unsigned at = 0;
};

inline constexpr unsigned no_slot = ~0U;

/// `Word` is `std::uint64_t`, or const for reading only.
template <class Word>
class quotient_line {
public:
    quotient_line(Word* words, const line_shape& shape) noexcept : words_(words), shape_(shape) {}

    [[nodiscard]] const line_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] Word* words() const noexcept { return words_; }

    /// Items in it: the last end stands behind all of them.
    [[nodiscard, gnu::always_inline]] unsigned count() const noexcept {
        const std::uint64_t high = words_[1] & shape_.ends[1];
        const unsigned last = high != 0 ? 127 - static_cast<unsigned>(std::countl_zero(high))
                                        : 63 - static_cast<unsigned>(std::countl_zero(words_[0] & shape_.ends[0]));
        return last - shape_.buckets;
    }
    [[nodiscard, gnu::always_inline]] unsigned room() const noexcept { return shape_.slots - count(); }

    template <class Select>
    [[nodiscard, gnu::always_inline]] bucket_range bucket(unsigned number) const noexcept {
        const unsigned at = Select::position(words_[0], words_[1], number) + 1;
        std::uint64_t ends = 0; // a 1 is among them: the end of this bucket
        std::memcpy(&ends, reinterpret_cast<const char*>(words_) + at / 8, sizeof ends);
        return {at - number - 1, static_cast<unsigned>(__builtin_ctzll(ends >> at % 8)), at};
    }

    [[nodiscard]] std::uint8_t byte(unsigned slot) const noexcept {
        return reinterpret_cast<const std::uint8_t*>(words_)[shape_.first_byte + slot];
    }
    [[nodiscard]] stored_item item(unsigned slot) const noexcept {
        return {extension<kernel::portable_select>(slot), byte(slot)};
    }

    /// A slot of the bucket that holds this, or no_slot.
    template <class Select>
    [[nodiscard, gnu::always_inline]] unsigned find(bucket_range range, stored_item wanted) const noexcept {
        if constexpr (Select::compares_lines) {
            return find_among<Select>(slots_with<Select>(wanted.byte), range, wanted);
        } else {
            for (;;) {
                for (std::uint64_t equal = equal_bytes(range, wanted.byte); equal != 0; equal &= equal - 1) {
                    const unsigned slot = range.first + static_cast<unsigned>(std::countr_zero(equal)) / 8;
                    if (extension<Select>(slot) == wanted.extension) return slot;
                }
                if (range.length <= 8) [[likely]]
                    return no_slot;
                range.first += 8;
                range.length -= 8;
            }
        }
    }
    /// The same for a bucket that is not needed otherwise: where no item of the whole line has such a byte, it is not even looked for.
    template <class Select>
    [[nodiscard, gnu::always_inline]] bool holds(unsigned number, stored_item wanted) const noexcept {
        if constexpr (Select::compares_lines) {
            const std::uint64_t slots = slots_with<Select>(wanted.byte);
            return slots != 0 && find_among<Select>(slots, bucket<Select>(number), wanted) != no_slot;
        } else {
            return find<Select>(bucket<Select>(number), wanted) != no_slot;
        }
    }
    /// How many items of the bucket are equal to this.
    template <class Select>
    [[nodiscard]] unsigned copies(unsigned number, stored_item wanted) const noexcept {
        const bucket_range range = bucket<Select>(number);
        unsigned found = 0;
        for (unsigned slot = range.first; slot < range.first + range.length; ++slot)
            found += item(slot) == wanted ? 1 : 0;
        return found;
    }

    /// Calls `visit(bucket, slot)` for every item, in their order; the second one until it returns true.
    template <class Visit>
    void for_each(Visit visit) const {
        for_each_until([&](unsigned bucket, unsigned slot) {
            visit(bucket, slot);
            return false;
        });
    }
    template <class Visit>
    [[gnu::always_inline]] void for_each_until(Visit visit) const {
        const unsigned end = count();
        unsigned slot = 0;
        for (unsigned word = 0; word < 2; ++word) {
            for (std::uint64_t zeros = ~words_[word]; zeros != 0 && slot < end; zeros &= zeros - 1) {
                const unsigned at = word * 64 + static_cast<unsigned>(std::countr_zero(zeros));
                if (visit(at - 1 - slot, slot)) return;
                ++slot;
            }
        }
    }

    /// Into the bucket that `range` is; there is room.
    [[gnu::always_inline]] void insert(bucket_range range, stored_item item) noexcept {
        const unsigned byte = shape_.first_byte + range.first;
        kernel::open_byte(words_, shape_.first_byte, byte);
        kernel::insert_end(words_, shape_.ends, range.at);
        if (const unsigned width = shape_.extension_bits; width != 0) {
            const unsigned at = shape_.extensions_at + range.first * width;
            kernel::insert_bits(words_, shape_.extensions_at, shape_.extensions_end, at, width, item.extension);
        }
        kernel::fill_byte(words_, byte, item.byte);
    }

    /// Takes the item in this slot of the bucket out.
    [[gnu::always_inline]] void erase(bucket_range range, unsigned slot) noexcept {
        kernel::erase_byte(words_, shape_.first_byte, shape_.first_byte + slot);
        kernel::erase_end(words_, shape_.ends, range.at);
        const unsigned width = shape_.extension_bits;
        if (width == 0) return;
        const unsigned at = shape_.extensions_at + slot * width;
        kernel::erase_bits(words_, shape_.extensions_at, shape_.extensions_end, at, width);
    }

    void clear() noexcept {
        std::fill(words_, words_ + line_words, 0);
        const auto empty = kernel::bits_below(shape_.buckets + 1);
        std::copy(empty.begin(), empty.end(), words_);
    }

    /// Is this what operations leave behind?
    [[nodiscard]] bool is_consistent() const noexcept {
        const std::uint64_t low = words_[0] & shape_.ends[0];
        const std::uint64_t high = words_[1] & shape_.ends[1];
        if ((low & 1) == 0) return false;
        if (static_cast<unsigned>(std::popcount(low) + std::popcount(high)) != shape_.buckets + 1) return false;
        const unsigned items = count();
        const unsigned first_unused = shape_.extensions_at + items * shape_.extension_bits;
        return is_zero(first_unused, shape_.bytes_at) &&
               is_zero(shape_.bytes_at + 8 * items, static_cast<unsigned>(line_bits));
    }

private:
    /// The bits from `bit` on, at least 57 of them; behind the end of the line there are zeros.
    [[nodiscard, gnu::always_inline]] std::uint64_t window(unsigned bit) const noexcept {
        constexpr unsigned last = line_bytes - sizeof(std::uint64_t);
        const unsigned byte = std::min(bit / 8, last);
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(words_) + byte, sizeof word);
        return word >> ((bit - byte * 8) & 63); // 64 behind the last slot, where nothing is in use
    }
    /// Enough bytes follow the extensions: nothing is read behind the line.
    template <class Select>
    [[nodiscard, gnu::always_inline]] std::uint32_t extension(unsigned slot) const noexcept {
        const unsigned bit = shape_.extensions_at + slot * shape_.extension_bits;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(words_) + bit / 8, sizeof word);
        return static_cast<std::uint32_t>(Select::lowest(word >> bit % 8, shape_.extension_bits));
    }

    /// Bit i: is the byte in slot i equal to this one?
    template <class Select>
    [[nodiscard, gnu::always_inline]] std::uint64_t slots_with(std::uint8_t byte) const noexcept {
        return Select::equal_bytes(words_, byte) >> shape_.first_byte;
    }
    template <class Select>
    [[nodiscard, gnu::always_inline]] unsigned find_among(std::uint64_t slots, bucket_range range,
                                                          stored_item wanted) const noexcept {
        slots = Select::lowest(slots >> range.first, range.length);
        for (; slots != 0; slots &= slots - 1) {
            const unsigned slot = range.first + static_cast<unsigned>(__builtin_ctzll(slots));
            if (extension<Select>(slot) == wanted.extension) return slot;
        }
        return no_slot;
    }

    /// Among the first eight items of the bucket: the highest bit of each byte that is equal to this one.
    [[nodiscard, gnu::always_inline]] std::uint64_t equal_bytes(bucket_range range, std::uint8_t byte) const noexcept {
        constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
        const std::uint64_t different = window(shape_.bytes_at + 8 * range.first) ^ (byte * 0x0101010101010101ULL);
        const std::uint64_t equal = ~(((different & low_bits) + low_bits) | different | low_bits);
        return equal & low_mask(8 * range.length);
    }

    [[nodiscard]] bool is_zero(unsigned from, unsigned to) const noexcept {
        std::uint64_t seen = 0;
        for (unsigned word = 0; word < line_words; ++word) seen |= words_[word] & kernel::bits_within(word, from, to);
        return seen == 0;
    }

    Word* words_;
    const line_shape& shape_;
};

} // namespace everbloom
