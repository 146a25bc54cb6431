// key_counts: how often each key occurs, for `uniq -c` and `uniq -u`: one pass to count, another to print.
#pragma once

#include "keys/hash_keys.hpp"

#include <absl/container/flat_hash_map.h>

#include <cstdint>

namespace everbloom::cli {

class key_counts {
public:
    result<void> count(const hashed_keys& keys) {
        for (const digest& one : keys.digests) ++counts_[one];
        keys_ += keys.digests.size();
        return {};
    }
    /// The number of occurrences the first time the key is taken, afterwards 0.
    [[nodiscard]] std::uint64_t take(const digest& key) {
        const auto found = counts_.find(key);
        // The file may have changed since it was counted: what was not there then has no number.
        return found == counts_.end() ? 0 : std::exchange(found->second, 0);
    }
    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t distinct() const noexcept { return counts_.size(); }

private:
    struct low_bits {
        std::size_t operator()(const digest& one) const noexcept { return static_cast<std::size_t>(one.low); }
    };
    absl::flat_hash_map<digest, std::uint64_t, low_bits> counts_;
    std::uint64_t keys_ = 0;
};

} // namespace everbloom::cli
