// bit_facts: sums over the bits of foreign filters.
#pragma once

#include <everbloom/model/occupancy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace everbloom {

template <class Word>
[[nodiscard]] std::uint64_t ones_in(std::span<const Word> words) noexcept {
    std::uint64_t ones = 0;
    for (const Word word : words) ones += static_cast<std::uint64_t>(std::popcount(word));
    return ones;
}

/// The number of keys that set this many of the bits of a Bloom filter, on average; 0 if all are set, which says nothing.
[[nodiscard]] inline double bloom_items(std::uint64_t ones, std::uint64_t bits, std::uint64_t hashes) noexcept {
    const double items =
        items_for_occupied(static_cast<double>(ones), static_cast<double>(bits), static_cast<double>(hashes));
    return std::isfinite(items) ? std::max(items, 0.0) : 0.0;
}

/// The chance that all bits of an absent key are set.
[[nodiscard]] inline double bloom_fpr(std::uint64_t ones, std::uint64_t bits, std::uint64_t hashes) noexcept {
    return std::pow(std::min(1.0, static_cast<double>(ones) / static_cast<double>(bits)), static_cast<double>(hashes));
}

} // namespace everbloom
