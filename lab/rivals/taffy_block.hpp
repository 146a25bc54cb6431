// Taffy block filter [Apple22]: a chain of blocked Bloom filters, each twice as large as the one before and stricter.
//
// The i-th filter, counted from 0, is made for 2^i times the first number of keys and has an FPR of at most 6 / pi^2 / (i + 1)^2 times the
// target, so that the sum over all of them stays below the target however long the chain becomes. A query asks all filters, the largest
// first: one cache line each, so its cost grows with the logarithm of the number of keys. Keys cannot be erased.
//
// A filter is split into blocks of 256 bits; a key sets one bit in each of the eight words of its block.
#pragma once

#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class taffy_block_filter : public growing_rival {
public:
    taffy_block_filter(std::uint64_t first_keys, double target_fpr);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override;
    [[nodiscard]] insert_outcome insert(digest item) override;

    [[nodiscard]] std::size_t filters() const noexcept { return levels_.size(); }
    /// FPR of a block filter with this many bits per key, when it is full.
    [[nodiscard]] static double block_fpr(double bits_per_key);

private:
    static constexpr std::uint64_t block_words = 8; // of 32 bits

    struct level {
        std::uint64_t most_keys;
        std::uint64_t keys;
        std::vector<std::uint32_t> words;
        [[nodiscard]] std::uint64_t blocks() const noexcept { return words.size() / block_words; }
    };
    void add_level();

    std::uint64_t first_keys_;
    double target_fpr_;
    std::vector<level> levels_;
};

} // namespace everbloom::lab::rivals
