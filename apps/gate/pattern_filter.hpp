// pattern_filter: the patterns of bad data, for words of which hardly any are bad.
//
// It is asked for every word of every packet. A Bloom filter at its best has half of its bits set: the first look is a coin toss, which
// no processor can foresee. So there is a sieve in front of it, a bit array with one bit per pattern and at least 64 bits for each: all but one in 64
// end there, as everybody expects. What the sieve lets through the Bloom filter need not keep back, so it is the smaller for it.
#pragma once

#include "gate/lists.hpp"
#include "gate/rolling_hash.hpp"

#include <everbloom/filter/bloom/bloom.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::cli {

class pattern_filter {
public:
    [[nodiscard]] static result<pattern_filter> make(const pattern_list& patterns, double fpr, const any_hasher& hash);

    [[nodiscard]] bool may_contain(digest words) const noexcept {
        const std::uint64_t at = words.low & last_bit_; // the Bloom filter looks at the upper bits first
        if ((sieve_[at / 64] >> (at % 64) & 1) == 0) return false;
        return behind_.may_contain(words);
    }

    /// What the models say.
    [[nodiscard]] double rate() const noexcept;
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
