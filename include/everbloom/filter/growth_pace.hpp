// How far the frontier should be when a filter grows. What has moved is emptier than it should be, what has not is fuller, and the
// false positive rate of each side goes with a power of its keys per line: the frontier goes where both sides together are as they
// were when the growth began (docs/models/elastic_blocked.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace everbloom {

class growth_pace {
public:
    /// From `full` keys to `next_full`; the rate goes with the power `steepness` of the density.
    growth_pace(std::uint64_t full, std::uint64_t next_full, double steepness) noexcept
        : full_(static_cast<double>(full)), next_full_(static_cast<double>(std::max(next_full, full + 1))),
          steepness_(steepness) {}

    /// The share of the pages that should have moved when there are so many keys.
    [[nodiscard]] double share_due(double keys) const noexcept {
        // A little ahead, so that the last page has moved before the room is needed.
        keys += (next_full_ - full_) / 64;
        if (keys <= full_) return 0;
        if (keys >= next_full_) return 1;
        const double old_side = std::pow(keys / full_, steepness_);
        const double new_side = std::pow(keys / next_full_, steepness_);
        return (old_side - 1) / (old_side - new_side);
    }

private:
    double full_;
    double next_full_;
    double steepness_;
};

} // namespace everbloom
