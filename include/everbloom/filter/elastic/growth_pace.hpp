// How far the frontier should be while a filter grows.
//
// What has moved is emptier than planned, what has not is fuller. Each side weighs by a power of its keys per line, the
// *steepness*: 1 at the density it is planned for. The frontier goes where both sides together weigh 1, as before the growth began.
// It is at the start with `full` keys and at the end with `next_full`; it runs fast at first and slower later.
// Which power is right is a question for the model (model/elastic/elastic_blocked.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace everbloom {

class growth_pace {
public:
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
