// Bits of an elastic filter: the fast part, all that queries read, and the hashes of a key that select them.
//
// [Wu21 §3.1] gives a key k hashes h of w bits; with m = 2^j bits, h mod m is the index and h div m the fingerprint, so the *low* bits
// of h decide first. A stored hash is h backwards, lowest bit first, at the top of a 64-bit word:
//
//      h             | fingerprint : w - j | index : j |
//      stored hash   | index backwards : j | fingerprint backwards : w - j | 0 ... |
//
// In this order the hashes of one bucket (of one index) lie side by side, and doubling m cuts each such range into two halves: the
// lowest bit of the fingerprint decides, which is now the first bit behind the index. Sorted stored hashes serve every m. The 64-bit
// words of the probe sequence (probe/positions.hpp) are taken as stored hashes, cut to w bits: the first hash h of a digest is its
// low half backwards. Equal hashes of one key count once.
//
// The fast part has one bit per bucket, set if the bucket is not empty. During a resize there are two arrays, and each stands for the
// stored hashes of its own pages; a query cuts its hash to w bits, compares it with the frontier and reads one of them, without a
// branch on which:
//
//      hashes in order    0 ........... frontier ............................ 2^64
//                         | new bits   | old bits                            |
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/choose.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/elastic/stored_hashes/geometry.hpp>
#include <everbloom/probe/positions.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t backwards(std::uint64_t word) noexcept {
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(word);
}

/// The stored hashes of the bucket that a hash falls into, where there are 2^log_bits buckets (1 <= log_bits <= 56).
[[nodiscard]] constexpr hash_range bucket_of(std::uint64_t hash, unsigned log_bits) noexcept {
    const std::uint64_t inside = low_mask(64 - log_bits);
    return {hash & ~inside, hash | inside};
}

using hash_span = std::span<const std::uint64_t>;

/// The different stored hashes of one key, in order of first appearance.
class key_hashes {
public:
    void make(digest item, unsigned hashes, std::uint64_t mask) noexcept {
        position_walk<probe_scheme::double_hashing> walk(item);
        unsigned kept = 0;
        for (unsigned i = 0; i < hashes; ++i) {
            const std::uint64_t hash = walk.next_hash() & mask;
            bool repeated = false;
            for (unsigned j = 0; j < kept; ++j) repeated |= hashes_[j] == hash;
            hashes_[kept] = hash;
            kept += repeated ? 0 : 1;
        }
        count_ = kept;
    }
    [[nodiscard]] hash_span get() const noexcept { return {hashes_.data(), count_}; }

private:
    std::array<std::uint64_t, max_hashes> hashes_; // the first count_ are used; the rest stays uninitialised
    unsigned count_ = 0;
};

/// One array of bits, and how many of them are set.
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

    [[nodiscard]] bool test(std::uint64_t hash) const noexcept { return array_.test(hash >> shift_); }
    /// Whether it was set before.
    bool set(std::uint64_t hash) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t at = hash >> shift_;
        std::uint64_t& word = array_.store().data()[at / word_bits];
        const bool before = (word >> (at % word_bits) & 1) != 0;
        word |= std::uint64_t{1} << (at % word_bits);
        ones_ += before ? 0 : 1;
        return before;
    }
    void reset(std::uint64_t hash) noexcept
        requires WritableWordStore<Store>
    {
        ones_ -= test(hash) ? 1 : 0;
        array_.reset(hash >> shift_);
    }
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(array_.store().data(), 0, array_.store().words() * sizeof(std::uint64_t));
        ones_ = 0;
    }
    /// After a resize, when all parts of it have been written to: the system may put huge pages in their place.
    void settle() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (array_.store().words() >= heap_words::huge_page_lines * line_words) array_.store().prefer_huge_pages();
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
    std::uint64_t mask; // of the bits of a hash that are stored

    /// For a stored hash. A hash that is not cut to its w bits may lie behind the frontier while the stored one lies before it.
    [[nodiscard]] bool test(std::uint64_t hash) const noexcept {
        const std::uint64_t at = position(hash);
        return (words(hash)[at / word_bits] >> (at % word_bits) & 1) != 0;
    }
    void prefetch(std::uint64_t hash) const noexcept { prefetch_line(words(hash) + position(hash) / word_bits); }

    [[nodiscard]] bool contains(digest item, unsigned hashes) const noexcept {
        position_walk<probe_scheme::double_hashing> walk(item);
        for (unsigned i = 0; i < hashes; ++i) {
            if (!test(walk.next_hash() & mask)) return false;
        }
        return true;
    }

    /// At rest this is a Bloom filter, and its batches are those of one. During a resize the first two bits of each key are prefetched.
    void contains(std::span<const digest> items, std::span<std::uint8_t> answers, unsigned hashes) const noexcept {
        const elastic_bit_view view = *this;
        if (frontier ==
            0) { // nothing to compare with, and no array uses more bits than are stored: hashes need not be cut
            const bit_view<const std::uint64_t> bits(now);
            query_in_windows(
                items, answers, {std::uint64_t{1} << (64 - now_shift), hashes, probe_scheme::double_hashing},
                [bits](std::uint64_t at) { bits.prefetch(at); },
                [bits](const digest&, std::uint64_t at) { return bits.test(at); },
                (std::uint64_t{1} << (64 - now_shift)) / 8);
            return;
        }
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t end = std::min(from + prefetch_window, items.size());
            for (std::size_t i = from; i < end; ++i) {
                position_walk<probe_scheme::double_hashing> walk(items[i]);
                view.prefetch(walk.next_hash() & mask);
                if (hashes > 1) view.prefetch(walk.next_hash() & mask);
            }
            for (std::size_t i = from; i < end; ++i) {
                answers[i] = static_cast<std::uint8_t>(view.contains(items[i], hashes));
            }
        }
    }

private:
    [[nodiscard]] const std::uint64_t* words(std::uint64_t hash) const noexcept {
        return choose(hash < frontier, next, now);
    }
    [[nodiscard]] std::uint64_t position(std::uint64_t hash) const noexcept {
        return hash >> choose(hash < frontier, next_shift, now_shift);
    }
};

} // namespace everbloom
