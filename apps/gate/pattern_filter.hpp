// pattern_filter: a filter of payload patterns, or of pieces of them, optimised for misses.
//
// It is queried for every word, or every byte, of every packet. In an optimal Bloom filter half of the bits are set, so the branch on the first probe is
// unpredictable. A sieve in front of it, a bit array with one bit set per pattern and at least 64 bits for each, rejects 63 of 64 queries
// with a predictable branch. The Bloom filter behind it needs only the remaining FPR, and is smaller.
#pragma once

#include "gate/lists.hpp"
#include "gate/rolling_hash.hpp"

#include <everbloom/filter/bloom/bloom.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::cli {

class pattern_filter {
public:
    /// Of word patterns.
    [[nodiscard]] static result<pattern_filter> make(const pattern_list& patterns, double fpr, const any_hasher& hash);
    [[nodiscard]] static result<pattern_filter> make(std::span<const digest> patterns, double fpr);

    [[nodiscard]] bool may_contain(digest words) const noexcept {
        const std::uint64_t at = words.low & last_bit_; // the Bloom filter uses the upper bits first
        if ((sieve_[at / 64] >> (at % 64) & 1) == 0) return false;
        return behind_.may_contain(words);
    }

    /// The FPR predicted by the models.
    [[nodiscard]] double model_fpr() const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    pattern_filter(bloom_filter behind, std::uint64_t sieve_bits, std::uint64_t patterns)
        : sieve_(sieve_bits / 64), last_bit_(sieve_bits - 1), behind_(std::move(behind)), patterns_(patterns) {}

    std::vector<std::uint64_t> sieve_;
    std::uint64_t last_bit_;
    bloom_filter behind_;
    std::uint64_t patterns_;
};

} // namespace everbloom::cli
