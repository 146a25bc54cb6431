// What is expected to happen to a filter after it was made: removals, replacements, growth.
#pragma once

#include <everbloom/model/workload.hpp>

namespace everbloom {

/// The expected workload of a filter.
struct expected_lifetime {
    double removed_share = 0; // keys inserted in addition and removed again, as a multiple of the items
    double churn_rounds = 0;  // churn rounds: how often every item is then replaced, one at a time
    double growth = 1;        // the largest factor by which the set may grow
    bool may_refuse = true; // a key may be refused for lack of room: few duplicates, and no more keys than the capacity

    [[nodiscard]] bool removes() const noexcept { return removed_share > 0 || churn_rounds > 0; }
    friend bool operator==(const expected_lifetime&, const expected_lifetime&) = default;
};

/// Nothing is known: permanent churn, duplicates, and more keys than were asked for. Four times as many is what kinds that plan their growth
/// plan for by default.
inline constexpr expected_lifetime any_lifetime{0, lasting_churn_rounds, 4, false};

} // namespace everbloom
