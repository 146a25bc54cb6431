// multiset_oracle: an exact reference for a filter, the count of each key of a small universe.
//
// Keys are numbers from 0 to keys - 1. Besides the counts it keeps the list of present keys, so that a random member can be
// drawn at once.
#pragma once

#include <cstdint>
#include <vector>

namespace everbloom::support {

class multiset_oracle {
public:
    explicit multiset_oracle(std::uint64_t keys) : counts_(keys, 0), places_(keys, 0) {}

    [[nodiscard]] std::uint64_t keys() const noexcept { return counts_.size(); }
    [[nodiscard]] std::uint64_t count(std::uint64_t key) const { return counts_[key]; }
    [[nodiscard]] bool has(std::uint64_t key) const { return counts_[key] != 0; }
    /// The different keys that are in, in no particular order.
    [[nodiscard]] const std::vector<std::uint64_t>& members() const noexcept { return members_; }

    void add(std::uint64_t key) {
        if (counts_[key]++ != 0) return;
        places_[key] = members_.size();
        members_.push_back(key);
    }

    /// The key is a member.
    void remove(std::uint64_t key) {
        if (--counts_[key] != 0) return;
        members_[places_[key]] = members_.back();
        places_[members_.back()] = places_[key];
        members_.pop_back();
    }

    void clear() {
        for (const std::uint64_t key : members_) counts_[key] = 0;
        members_.clear();
    }

private:
    std::vector<std::uint64_t> counts_;
    std::vector<std::uint64_t> places_; // of each member in members_
    std::vector<std::uint64_t> members_;
};

} // namespace everbloom::support
