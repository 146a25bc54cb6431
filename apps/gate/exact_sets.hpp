// exact_sets: the three sets of a gate as hash sets, without false positives; --compare measures filter_sets against them.
#pragma once

#include "gate/lists.hpp"
#include "gate/rolling_hash.hpp"
#include "gate/sender_key.hpp"

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <vector>

namespace everbloom::cli {

class exact_sets {
public:
    using address_set = absl::flat_hash_set<ip_address, address_hash, address_equal>;

    exact_sets(const any_hasher& hash, const pattern_list& patterns);

    void are_bad(std::span<const sender_key> senders, std::span<std::uint8_t> answers) const noexcept;
    [[nodiscard]] bool is_bad(const sender_key& sender) const noexcept { return bad_.contains(sender); }
    [[nodiscard]] bool is_good(const sender_key& sender) const noexcept { return good_.contains(sender); }
    [[nodiscard]] bool is_pattern(digest hashed, word_span words) const noexcept {
        return by_words_.contains(hashed_words{hashed.low, words});
    }

    [[nodiscard]] result<void> add_bad(const sender_key& sender);
    [[nodiscard]] result<void> add_good(const sender_key& sender);
    [[nodiscard]] result<bool> remove_good(const sender_key& sender);

    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] const address_set& bad_ips() const noexcept { return bad_; }
    [[nodiscard]] const address_set& good_ips() const noexcept { return good_; }

private:
    struct hashed_words {
        std::uint64_t hash;
        word_span words;
    };
    /// Hashes patterns by number; sought words already have their hash.
    struct pattern_hash {
        using is_transparent = void;
        std::shared_ptr<const std::vector<std::uint64_t>> hashes;
        std::size_t operator()(std::uint32_t pattern) const noexcept { return (*hashes)[pattern]; }
        std::size_t operator()(const hashed_words& sought) const noexcept { return sought.hash; }
    };
    struct pattern_equal {
        using is_transparent = void;
        std::shared_ptr<const pattern_list> patterns;
        bool operator()(std::uint32_t a, std::uint32_t b) const noexcept { return a == b; }
        bool operator()(std::uint32_t a, const hashed_words& b) const noexcept;
    };

    address_set bad_;
    address_set good_;
    std::shared_ptr<const pattern_list> patterns_;
    std::shared_ptr<const std::vector<std::uint64_t>> pattern_hashes_;
    absl::flat_hash_set<std::uint32_t, pattern_hash, pattern_equal> by_words_;
};

} // namespace everbloom::cli
