// seen_keys: the keys that `uniq` has seen.
//
// Usually as hashes of 60 bits: a new key is taken for a repetition if its hash equals a stored one, with a chance of n / 2^60 after n distinct
// keys. They are in a hash table, about ten bytes a key; where keys are forgotten (windows) or kept in a file (states), in a filter that
// can do both. The exact form keeps 80 bits in a hash set: n / 2^80.
#pragma once

#include <everbloom/jobs/distinct_hashes.hpp>
#include <everbloom/jobs/first_occurrences.hpp>

#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace everbloom::cli {

/// 80 bits of a digest.
struct short_hash {
    static constexpr std::size_t bytes = 10;

    std::array<std::uint8_t, bytes> value;

    explicit short_hash(const digest& key) noexcept {
        std::memcpy(value.data(), &key.low, sizeof key.low);
        std::memcpy(value.data() + sizeof key.low, &key.high, bytes - sizeof key.low);
    }
    friend bool operator==(const short_hash&, const short_hash&) = default;
    struct hash {
        std::size_t operator()(const short_hash& one) const noexcept {
            std::size_t made = 0;
            std::memcpy(&made, one.value.data(), sizeof made);
            return made;
        }
    };
};

class seen_keys {
public:
    enum class precision { usual, exact };

    /// The filter is one of first_occurrences.
    seen_keys(precision how, first_occurrences filter) : how_(how), filter_(std::move(filter)) {}
    /// In a table: nothing can be forgotten.
    explicit seen_keys(distinct_hashes table)
        : how_(precision::usual), filter_(any_filter(), 0), table_(std::move(table)) {}

    /// is_first[i]: 1 if the key was not known; it is now.
    [[nodiscard]] result<void> classify(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
        if (table_) return table_->add(keys, is_first);
        if (how_ == precision::usual) return filter_.classify(keys, is_first);
        for (std::size_t i = 0; i < keys.size(); ++i) is_first[i] = exact_.insert(short_hash(keys[i])).second ? 1 : 0;
        return {};
    }
    [[nodiscard]] result<void> forget(const digest& key) {
        if (how_ == precision::usual) return filter_.forget(key);
        exact_.erase(short_hash(key));
        return {};
    }

    [[nodiscard]] const std::optional<distinct_hashes>& table() const noexcept { return table_; }
    [[nodiscard]] precision how() const noexcept { return how_; }
    [[nodiscard]] first_occurrences& filter() noexcept { return filter_; }
    [[nodiscard]] const first_occurrences& filter() const noexcept { return filter_; }
    using exact_set = absl::flat_hash_set<short_hash, short_hash::hash>;
    [[nodiscard]] exact_set& exact() noexcept { return exact_; }
    [[nodiscard]] const exact_set& exact() const noexcept { return exact_; }

private:
    precision how_;
    first_occurrences filter_;
    std::optional<distinct_hashes> table_; // instead of the filter
    exact_set exact_;
};

} // namespace everbloom::cli
