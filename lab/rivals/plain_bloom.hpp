// plain_bloom: a Bloom filter of given bits and hash functions, the building block of filters that know their negatives.
#pragma once

#include "lab/rivals/rival.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::lab::rivals {

class plain_bloom {
public:
    /// `salt` makes the hash functions of several filters differ.
    plain_bloom(std::uint64_t bits, unsigned hashes, std::uint64_t salt)
        : bits_(std::max<std::uint64_t>(bits, 1)), hashes_(hashes), salt_(salt), words_(bits_ / 64 + 1) {}

    /// The filter of `bits` bits that suits `keys` keys.
    [[nodiscard]] static plain_bloom for_keys(std::uint64_t keys, std::uint64_t bits, std::uint64_t salt) {
        const double each = static_cast<double>(bits) / static_cast<double>(std::max<std::uint64_t>(keys, 1));
        return {bits, static_cast<unsigned>(std::clamp(std::round(each * 0.6931), 1.0, 32.0)), salt};
    }
    /// The bits for this FPR.
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t keys, double fpr) {
        return static_cast<std::uint64_t>(std::ceil(static_cast<double>(keys) * std::log(1 / fpr) / 0.480453)) + 1;
    }

    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] unsigned hashes() const noexcept { return hashes_; }

    void insert(digest item) noexcept {
        for (unsigned i = 0; i < hashes_; ++i) set(position(item, i));
    }
    [[nodiscard]] bool contains(digest item, line_log* log, std::uint64_t array) const {
        for (unsigned i = 0; i < hashes_; ++i) {
            const std::uint64_t at = position(item, i);
            if (log != nullptr) log->note_bits(array, at, 1);
            if (!get(at)) return false;
        }
        return true;
    }

private:
    [[nodiscard]] std::uint64_t position(digest item, unsigned number) const noexcept {
        return reduce(mix(item.low + (salt_ * 64 + number) * golden_ratio_bits) ^ item.high, bits_);
    }
    [[nodiscard]] bool get(std::uint64_t bit) const noexcept { return ((words_[bit / 64] >> (bit % 64)) & 1) != 0; }
    void set(std::uint64_t bit) noexcept { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }

    std::uint64_t bits_;
    unsigned hashes_;
    std::uint64_t salt_;
    std::vector<std::uint64_t> words_;
};

} // namespace everbloom::lab::rivals
