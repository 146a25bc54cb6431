#include "key_numbers.hpp"

#include <everbloom/probe/mix.hpp>

#include <algorithm>

namespace everbloom {

std::uint64_t key_numbers::number(digest key) const noexcept {
    if (quotient_ != nullptr) return quotient_->places().number(quotient_->places().fingerprint(key));
    return key.low >> (64 - elastic_->spec().word_bits);
}

digest key_numbers::digest_of(std::uint64_t number) const noexcept {
    if (quotient_ != nullptr) return quotient_->places().some_digest(quotient_->places().fingerprint_of_number(number));
    return {number << (64 - elastic_->spec().word_bits), 0};
}

std::uint64_t key_numbers::lesser(std::uint64_t number) const noexcept {
    if (quotient_ == nullptr) return number;
    return quotient_->places().class_number(quotient_->places().fingerprint_of_number(number));
}

bool key_numbers::are_those_of(const key_numbers& other) const noexcept {
    if (quotient_ != nullptr && other.quotient_ != nullptr) {
        return quotient_->spec().has_fingerprints_of(other.quotient_->spec());
    }
    return elastic_ != nullptr && other.elastic_ != nullptr &&
           elastic_->spec().word_bits == other.elastic_->spec().word_bits;
}

std::vector<key_numbers::stored> key_numbers::all() const {
    std::vector<stored> made;
    const auto keep = [&](digest key, std::uint64_t copies) {
        const std::uint64_t own = number(key);
        made.insert(made.end(), static_cast<std::size_t>(copies), {lesser(own), own});
    };
    if (quotient_ != nullptr) {
        made.reserve(static_cast<std::size_t>(quotient_->keys()));
        quotient_->for_each_digest(keep);
    } else {
        elastic_->for_each_digest(keep);
    }
    std::sort(made.begin(), made.end());
    return made;
}

void key_numbers::put_in_order(std::span<digest> keys) const {
    struct placed {
        std::uint64_t place;
        std::uint64_t number;
        digest key;
    };
    std::vector<placed> all;
    all.reserve(keys.size());
    for (const digest& key : keys) all.push_back({mix(lesser(number(key))), number(key), key});
    std::sort(all.begin(), all.end(), [](const placed& one, const placed& other) {
        return one.place != other.place ? one.place < other.place : one.number < other.number;
    });
    std::transform(all.begin(), all.end(), keys.begin(), [](const placed& one) { return one.key; });
}

} // namespace everbloom
