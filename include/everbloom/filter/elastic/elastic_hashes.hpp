// The hash numbers of a key in an elastic filter, kept as records.
//
// [Wu21 §3.1] gives a key k hash numbers h of w bits; with m = 2^j positions, h mod m is the index and h div m the fingerprint. So the
// *low* bits of h decide first. A record is h backwards, lowest bit first, at the top of a 64-bit word:
//
//      h        | fingerprint : w - j | index : j |
//      record   | index backwards : j | fingerprint backwards : w - j | 0 ... |
//
// In this order the hash numbers of one position lie side by side, and doubling m cuts each such range into two halves: the lowest
// bit of the fingerprint decides, which is now the first bit behind the index. Sorted records serve every m.
//
// The 64-bit words of the probe sequence (probe/positions.hpp) are taken as records, cut to w bits. So the first hash number of
// a digest is its low half backwards. Equal hash numbers of one key count once.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/probe/positions.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t backwards(std::uint64_t word) noexcept {
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0f0f0f0f0f0f0f0f) | (word & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(word);
}

/// The bits of a record that are kept.
[[nodiscard]] constexpr std::uint64_t record_mask(std::uint64_t word_bits) noexcept {
    return ~low_mask(64 - static_cast<unsigned>(word_bits));
}

/// The different records of one key, in order of first appearance.
class elastic_hashes {
public:
    void make(digest item, unsigned hashes, std::uint64_t mask) noexcept {
        position_walk<probe_scheme::double_hashing> walk(item);
        unsigned kept = 0;
        for (unsigned i = 0; i < hashes; ++i) {
            const std::uint64_t record = walk.next_hash() & mask;
            bool repeated = false;
            for (unsigned j = 0; j < kept; ++j) repeated |= records_[j] == record;
            records_[kept] = record;
            kept += repeated ? 0 : 1;
        }
        count_ = kept;
    }
    [[nodiscard]] std::span<const std::uint64_t> get() const noexcept { return {records_.data(), count_}; }

private:
    std::array<std::uint64_t, max_hashes> records_; // the first count_ are meant; the rest stays uninitialised
    unsigned count_ = 0;
};

} // namespace everbloom
