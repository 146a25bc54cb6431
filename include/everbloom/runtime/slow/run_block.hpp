// run_block: sorted records of a part, packed into 4 KB of a slow file by the code of Elias and Fano.
//
// A run is the sorted multiset of a part's records, in such blocks one after the other. A block holds differences to its first record,
// the low bits of each as they are, the high bits in unary: about record_bits - log2(records of the part) + 2 bits per record.
// How often a record is stored is written only in blocks where a key was added more than once.
//
//      word 0     checksum of the words behind it
//      word 1     stamp: file, part and merge that the block belongs to
//      word 2     first record
//      word 3     | records : 16 | low bits : 8 | count bits : 8 | words of the high part : 16 | 0 : 16 |
//      high       bit (difference >> low bits) + i is set for record i
//      low        records x low bits
//      counts     records x count bits, each less 1
//
// Checksum and stamp are set and compared by the code that knows the file (run_stamp.hpp).
#pragma once

#include <everbloom/bits/low_mask.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace everbloom {

inline constexpr std::size_t run_block_words = 512;
inline constexpr std::size_t run_block_bytes = run_block_words * sizeof(std::uint64_t);

namespace run_block {

inline constexpr std::size_t header_words = 4;
inline constexpr std::size_t payload_words = run_block_words - header_words;
inline constexpr std::size_t most_records = 4096;
inline constexpr unsigned most_low_bits = 56;   // of a record; an unaligned word covers them from any bit on
inline constexpr unsigned most_count_bits = 48; // a key is not added 2^48 times

[[nodiscard]] constexpr std::size_t words_for(std::size_t bits) noexcept { return (bits + 63) / 64; }

/// The number of low bits that makes a run of this many records shortest.
[[nodiscard]] constexpr unsigned best_low_bits(unsigned record_bits, std::uint64_t records) noexcept {
    const auto used = static_cast<unsigned>(std::bit_width(records)); // records < 2^used
    return record_bits > used ? record_bits - used : 0;
}

/// Blocks that a run of this many records needs at most.
[[nodiscard]] constexpr std::uint64_t blocks_for(unsigned record_bits, std::uint64_t records,
                                                 std::uint64_t most_count) noexcept {
    if (records == 0) return 0;
    const unsigned low = best_low_bits(record_bits, records);
    const auto count = static_cast<unsigned>(std::bit_width(most_count == 0 ? 0 : most_count - 1));
    // The unary parts of all records together: a 1 for each, and 0s for the range that they cover.
    const std::uint64_t high = records + (low >= record_bits ? 1 : std::uint64_t{1} << (record_bits - low));
    // Each of the three parts of a block ends in a word that may be unused for the most part, as may be the place of a record that did
    // not fit.
    constexpr std::uint64_t sure_bits = (payload_words - 6) * 64;
    return (records * (low + count) + high) / sure_bits + records / most_records + 2;
}

} // namespace run_block

/// Collects records in ascending order and packs them.
class run_block_writer {
public:
    explicit run_block_writer(unsigned low_bits = 0) noexcept : low_bits_(low_bits) {}

    [[nodiscard]] std::size_t records() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t first() const noexcept { return records_[0]; }

    /// False: the block is full. Take it, and add the record to the next one.
    [[nodiscard]] bool add(std::uint64_t record, std::uint64_t copies) noexcept {
        const auto needed = static_cast<unsigned>(std::bit_width(copies - 1));
        const unsigned count_bits = needed > count_bits_ ? needed : count_bits_;
        const std::size_t records = count_ + 1;
        if (count_ != 0) {
            // Each of the three parts may leave most of a word unused.
            constexpr std::uint64_t sure_bits = (run_block::payload_words - 3) * 64;
            const std::uint64_t high = (record - records_[0]) >> low_bits_;
            if (high > sure_bits || high + records * (1 + low_bits_ + count_bits) > sure_bits ||
                records > run_block::most_records) {
                return false;
            }
        }
        records_[count_] = record;
        copies_[count_] = copies;
        count_ = records;
        count_bits_ = count_bits;
        return true;
    }

    /// Adds single copies, as many as fit, and says how many.
    [[nodiscard]] std::size_t add_singles(std::span<const std::uint64_t> records) noexcept {
        std::size_t added = 0;
        while (added < records.size() && add(records[added], 1)) ++added;
        return added;
    }

    /// Packs what was added, at least one record, and begins the next block.
    void take(std::span<std::uint64_t, run_block_words> block) noexcept {
        std::memset(block.data(), 0, block.size_bytes());
        const std::uint64_t base = records_[0];
        const std::size_t high_words =
            run_block::words_for(static_cast<std::size_t>((records_[count_ - 1] - base) >> low_bits_) + count_);
        block[2] = base;
        block[3] = count_ | std::uint64_t{low_bits_} << 16 | std::uint64_t{count_bits_} << 24 |
                   std::uint64_t{high_words} << 32;
        std::uint64_t* const high = block.data() + run_block::header_words;
        packer low(high + high_words);
        for (std::size_t i = 0; i < count_; ++i) {
            const std::uint64_t difference = records_[i] - base;
            const std::uint64_t at = (difference >> low_bits_) + i;
            high[at / 64] |= std::uint64_t{1} << (at % 64);
            low.put(difference & low_mask(low_bits_), low_bits_);
        }
        if (count_bits_ != 0) {
            packer counts(high + high_words + run_block::words_for(count_ * low_bits_));
            for (std::size_t i = 0; i < count_; ++i) counts.put(copies_[i] - 1, count_bits_);
        }
        count_ = 0;
        count_bits_ = 0;
    }

private:
    /// Numbers one behind the other, into zeroed words.
    struct packer {
        explicit packer(std::uint64_t* words) noexcept : next(words) {}
        void put(std::uint64_t value, unsigned bits) noexcept {
            if (bits == 0) return;
            *next |= value << used;
            used += bits;
            if (used < 64) return;
            used -= 64;
            ++next;
            if (used != 0) *next = value >> (bits - used);
        }
        std::uint64_t* next;
        unsigned used = 0;
    };

    unsigned low_bits_;
    unsigned count_bits_ = 0;
    std::size_t count_ = 0;
    std::array<std::uint64_t, run_block::most_records> records_;
    std::array<std::uint64_t, run_block::most_records> copies_;
};

/// The records of a block, unpacked.
class run_block_reader {
public:
    /// False: these words are no block that the writer makes, whatever their checksum says.
    [[nodiscard]] bool read(std::span<const std::uint64_t, run_block_words> block, unsigned record_bits) noexcept {
        count_ = 0;
        const auto records = static_cast<std::size_t>(block[3] & 0xffff);
        const auto low_bits = static_cast<unsigned>(block[3] >> 16 & 0xff);
        const auto count_bits = static_cast<unsigned>(block[3] >> 24 & 0xff);
        const auto high_words = static_cast<std::size_t>(block[3] >> 32 & 0xffff);
        if (block[3] >> 48 != 0 || records == 0 || records > run_block::most_records ||
            low_bits > run_block::most_low_bits || low_bits > record_bits || count_bits > run_block::most_count_bits) {
            return false;
        }
        const std::size_t low_words = run_block::words_for(records * low_bits);
        if (high_words + low_words + run_block::words_for(records * count_bits) > run_block::payload_words)
            return false;

        // With a word behind it, so that unaligned words may be read up to its end.
        std::array<std::uint64_t, run_block_words + 1> copy;
        std::memcpy(copy.data(), block.data(), block.size_bytes());
        copy.back() = 0;
        const std::uint64_t* const high = copy.data() + run_block::header_words;
        const auto* const low = reinterpret_cast<const char*>(high + high_words);
        const std::uint64_t mask = low_mask(low_bits);
        const std::uint64_t base = block[2];
        std::size_t i = 0;
        for (std::size_t w = 0; w < high_words; ++w) {
            for (std::uint64_t left = high[w]; left != 0; left &= left - 1, ++i) {
                if (i == records) return false;
                const std::uint64_t zeros = 64 * w + static_cast<unsigned>(std::countr_zero(left)) - i;
                records_[i] = base + ((zeros << low_bits) | (number(low, i * low_bits) & mask));
            }
        }
        if (i != records || records_[0] != base || records_[records - 1] >> record_bits != 0) return false;
        bool ascending = true;
        for (std::size_t j = 1; j < records; ++j) ascending &= records_[j - 1] < records_[j];
        if (!ascending) return false;
        if (count_bits != 0) {
            const auto* const counts = reinterpret_cast<const char*>(high + high_words + low_words);
            for (std::size_t j = 0; j < records; ++j) {
                copies_[j] = (number(counts, j * count_bits) & low_mask(count_bits)) + 1;
            }
        }
        has_counts_ = count_bits != 0;
        count_ = records;
        return true;
    }

    [[nodiscard]] std::size_t records() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t record(std::size_t i) const noexcept { return records_[i]; }
    [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return std::span(records_).first(count_); }
    /// Every record is there once, as nearly always.
    [[nodiscard]] bool are_single() const noexcept { return !has_counts_; }
    [[nodiscard]] std::uint64_t copies(std::size_t i) const noexcept { return has_counts_ ? copies_[i] : 1; }

private:
    /// 56 bits from any bit on.
    [[nodiscard]] static std::uint64_t number(const char* bytes, std::size_t bit) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + bit / 8, sizeof word);
        return word >> (bit % 8);
    }

    bool has_counts_ = false;
    std::size_t count_ = 0;
    std::array<std::uint64_t, run_block::most_records> records_;
    std::array<std::uint64_t, run_block::most_records> copies_;
};

} // namespace everbloom
