// unique_keys: drops the repetitions of keys before they reach a filter.
//
// A filter cannot do that by itself: it says "maybe there" of a new key now and then, and dropping that key would lose it. So the digests of
// all keys, 128 bits each, are kept until the filter is complete: two keys are taken for one with a chance of 1e-24 among 15 million.
#pragma once

#include "keys/hash_keys.hpp"

#include <absl/container/flat_hash_set.h>

#include <cstdint>

namespace everbloom::cli {

class unique_keys {
public:
    /// Those of the keys that were not there before; valid until the next call.
    [[nodiscard]] const hashed_keys& first_of(const hashed_keys& keys) {
        first_.texts.clear();
        first_.digests.clear();
        first_.lines.clear();
        first_.second_digests.clear();
        for (std::size_t i = 0; i < keys.digests.size(); ++i) {
            if (!seen_.insert(keys.digests[i]).second) {
                ++repeated_;
                continue;
            }
            first_.digests.push_back(keys.digests[i]);
            first_.texts.push_back(keys.texts[i]);
            if (!keys.second_digests.empty()) first_.second_digests.push_back(keys.second_digests[i]);
            if (!keys.lines.empty()) first_.lines.push_back(keys.lines[i]);
        }
        return first_;
    }

    [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

private:
    struct low_bits {
        std::size_t operator()(const digest& one) const noexcept { return static_cast<std::size_t>(one.low); }
    };
    absl::flat_hash_set<digest, low_bits> seen_;
    hashed_keys first_;
    std::uint64_t repeated_ = 0;
};

} // namespace everbloom::cli
