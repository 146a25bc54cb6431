// offenders: the senders with the most bad or rejected packets. Counts a bounded number of addresses and drops the smallest counts when
// there are more, so that a flood of addresses costs no memory; a count may then be too low.
#pragma once

#include "gate/hash_set_room.hpp"
#include "gate/ip_address.hpp"
#include "gate/verdict.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace everbloom::cli {

struct offender {
    ip_address address;
    std::uint64_t bad = 0;
    std::uint64_t rejected = 0;

    [[nodiscard]] std::uint64_t refused() const noexcept { return bad + rejected; }
};

class offenders {
public:
    void note(const ip_address& address, verdict said) {
        make_room(known_);
        offender& one = known_[address];
        one.address = address;
        ++(said == verdict::bad ? one.bad : one.rejected);
        if (known_.size() > most) forget_half();
    }

    /// The largest counts first.
    [[nodiscard]] std::vector<offender> worst(std::size_t count) const {
        std::vector<offender> all;
        for (const auto& [address, one] : known_) all.push_back(one);
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
        std::partial_sort(all.begin(), end, all.end(), [](const offender& a, const offender& b) {
            return a.refused() != b.refused() ? a.refused() > b.refused() : a.address < b.address;
        });
        all.erase(end, all.end());
        return all;
    }

private:
    static constexpr std::size_t most = 16384;

    void forget_half() {
        const auto kept = worst(most / 2);
        known_.clear();
        for (const offender& one : kept) {
            make_room(known_);
            known_[one.address] = one;
        }
    }

    absl::flat_hash_map<ip_address, offender> known_;
};

} // namespace everbloom::cli
