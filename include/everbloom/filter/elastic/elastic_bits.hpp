// elastic_bits: the fast part of an elastic filter, all that queries look at.
//
// An array of 2^j bits, one for each bucket of records: set if records are in it. While the filter moves to another size there are
// two, and each stands for the records of its own pages: the new one for those below the frontier, the old one for the others.
//
//      records in order   0 ........... frontier ............................ 2^64
//                         | new bits   | old bits                            |
//
// A query compares its record with the frontier and looks into one of them; nothing branches on which.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/choose.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/elastic/elastic_hashes.hpp>

#include <bit>
#include <cstring>
#include <utility>

namespace everbloom {

/// One array, and how many of its bits are set.
template <WordStore Store>
class bucket_bits {
public:
    bucket_bits() noexcept = default;
    /// `bits` is a power of two, at least 2.
    bucket_bits(std::uint64_t bits, Store store) noexcept
        : shift_(64 - log2_of(bits)), array_(bits, std::move(store)) {}

    [[nodiscard]] std::uint64_t bits() const noexcept { return array_.bits(); }
    [[nodiscard]] unsigned log_bits() const noexcept { return 64 - shift_; }
    [[nodiscard]] unsigned shift() const noexcept { return shift_; }
    [[nodiscard]] std::uint64_t ones() const noexcept { return ones_; }
    [[nodiscard]] const Store& store() const noexcept { return array_.store(); }
    [[nodiscard]] const std::uint64_t* words() const noexcept { return std::as_const(array_.store()).data(); }

    [[nodiscard]] bool test(std::uint64_t record) const noexcept { return array_.test(record >> shift_); }
    /// Whether it was set before.
    bool set(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t at = record >> shift_;
        std::uint64_t& word = array_.store().data()[at / word_bits];
        const bool before = (word >> (at % word_bits) & 1) != 0;
        word |= std::uint64_t{1} << (at % word_bits);
        ones_ += before ? 0 : 1;
        return before;
    }
    void reset(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        ones_ -= test(record) ? 1 : 0;
        array_.reset(record >> shift_);
    }
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(array_.store().data(), 0, array_.store().words() * sizeof(std::uint64_t));
        ones_ = 0;
    }
    void recount() noexcept { ones_ = array_.count_ones(); }
    [[nodiscard]] bool is_clean() const noexcept { return tail_is_zero(array_.store(), array_.bits()); }

private:
    [[nodiscard]] static unsigned log2_of(std::uint64_t bits) noexcept {
        return static_cast<unsigned>(std::bit_width(bits)) - 1;
    }

    unsigned shift_ = 63;
    std::uint64_t ones_ = 0;
    bit_array<Store> array_;
};

/// What a query reads, as a value that a loop keeps in registers.
struct elastic_bit_view {
    const std::uint64_t* now;
    const std::uint64_t* next;
    unsigned now_shift;
    unsigned next_shift;
    std::uint64_t frontier;

    [[nodiscard]] bool test(std::uint64_t record) const noexcept {
        const std::uint64_t at = position(record);
        return (words(record)[at / word_bits] >> (at % word_bits) & 1) != 0;
    }
    void prefetch(std::uint64_t record) const noexcept { fetch(words(record) + position(record) / word_bits); }

    [[nodiscard]] bool contains(digest item, unsigned hashes) const noexcept {
        position_walk<probe_scheme::double_hashing> walk(item);
        for (unsigned i = 0; i < hashes; ++i) {
            // Cutting records to fewer bits changes nothing here: no array asks for more bits than a hash has.
            if (!test(walk.next_hash())) return false;
        }
        return true;
    }

    /// At rest this is a Bloom filter, and its batches are those of one. While moving, the first two of each key are fetched ahead.
    void contains(std::span<const digest> items, std::span<std::uint8_t> answers, unsigned hashes) const noexcept {
        const elastic_bit_view view = *this;
        if (frontier == 0) {
            const bit_view<const std::uint64_t> bits(now);
            query_in_windows(
                items, answers, {std::uint64_t{1} << (64 - now_shift), hashes, probe_scheme::double_hashing},
                [bits](std::uint64_t at) { bits.prefetch(at); },
                [bits](const digest&, std::uint64_t at) { return bits.test(at); });
            return;
        }
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t end = std::min(from + prefetch_window, items.size());
            for (std::size_t i = from; i < end; ++i) {
                position_walk<probe_scheme::double_hashing> walk(items[i]);
                view.prefetch(walk.next_hash());
                if (hashes > 1) view.prefetch(walk.next_hash());
            }
            for (std::size_t i = from; i < end; ++i) {
                answers[i] = static_cast<std::uint8_t>(view.contains(items[i], hashes));
            }
        }
    }

private:
    [[nodiscard]] const std::uint64_t* words(std::uint64_t record) const noexcept {
        return choose(record < frontier, next, now);
    }
    [[nodiscard]] std::uint64_t position(std::uint64_t record) const noexcept {
        return record >> choose(record < frontier, next_shift, now_shift);
    }
};

} // namespace everbloom
