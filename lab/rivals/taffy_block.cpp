#include "lab/rivals/taffy_block.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <cmath>
#include <numbers>

namespace everbloom::lab::rivals {
namespace {

/// The bit of a key in word `number` of its block.
std::uint32_t bit_in_word(digest item, std::uint64_t number) noexcept {
    return std::uint32_t{1} << (mix(item.high + number * golden_ratio_bits) >> 59);
}

/// The fewest bits per key with which a full block filter has this FPR.
double bits_per_key_for(double fpr) {
    double low = 1;
    double high = 512;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (taffy_block_filter::block_fpr(middle) > fpr ? low : high) = middle;
    }
    return high;
}

} // namespace

taffy_block_filter::taffy_block_filter(std::uint64_t first_keys, double target_fpr)
    : first_keys_(first_keys), target_fpr_(target_fpr) {
    add_level();
}

double taffy_block_filter::block_fpr(double bits_per_key) {
    // Keys per block are Poisson; with j keys a word has its bit set with 1 - (31/32)^j.
    const double mean = 256 / bits_per_key;
    double fpr = 0;
    double probability = std::exp(-mean);
    for (int keys = 1; keys < 400 + static_cast<int>(4 * mean); ++keys) {
        probability *= mean / keys;
        fpr += probability * std::pow(1 - std::pow(31.0 / 32, keys), 8);
    }
    return fpr;
}

void taffy_block_filter::add_level() {
    const auto number = static_cast<double>(levels_.size() + 1);
    const std::uint64_t most = first_keys_ << levels_.size();
    const double fpr = target_fpr_ * 6 / (std::numbers::pi * std::numbers::pi * number * number);
    const auto blocks = static_cast<std::uint64_t>(std::ceil(static_cast<double>(most) * bits_per_key_for(fpr) / 256));
    levels_.push_back({most, 0, std::vector<std::uint32_t>(blocks * block_words)});
}

bool taffy_block_filter::contains(digest item, line_log* log) const {
    for (std::size_t i = levels_.size(); i-- > 0;) {
        const level& one = levels_[i];
        const std::uint64_t block = reduce(item.low, one.blocks());
        if (log != nullptr) log->note_bits(i, block * 256, 256);
        bool all = true;
        for (std::uint64_t word = 0; all && word < block_words; ++word) {
            all = (one.words[block * block_words + word] & bit_in_word(item, word)) != 0;
        }
        if (all) return true;
    }
    return false;
}

insert_outcome taffy_block_filter::insert(digest item) {
    const bool grows = levels_.back().keys == levels_.back().most_keys;
    if (grows) add_level();
    level& last = levels_.back();
    const std::uint64_t block = reduce(item.low, last.blocks());
    for (std::uint64_t word = 0; word < block_words; ++word) {
        last.words[block * block_words + word] |= bit_in_word(item, word);
    }
    ++last.keys;
    return grows ? insert_outcome::inserted_grew : insert_outcome::inserted;
}

std::uint64_t taffy_block_filter::bits() const noexcept {
    std::uint64_t sum = 0;
    for (const level& one : levels_) sum += one.words.size() * 32;
    return sum;
}

} // namespace everbloom::lab::rivals
