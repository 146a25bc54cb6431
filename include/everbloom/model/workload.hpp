// Workloads: the capacity and target FPR asked for, the operations expected, and what a model predicts.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace everbloom {

/// Capacity and target FPR.
struct workload {
    std::uint64_t items = 0;
    double fpr = 0.001; // the default of the sizing rule [Summary02]
};

/// The operations on a filter: `items` are present at the end.
struct lifetime {
    std::uint64_t items = 0;
    double removed_share = 0; // r: (1 + r) * items were inserted, then r * items of them removed
    double churn_rounds = 0;  // churn rounds: each then replaces every item once, one at a time
    double negatives = 0;     // known negatives protected at the end, if the kind supports it
};

/// Turnovers for a permanent filter: a kind that survives a hundred does not wear out.
inline constexpr double lasting_churn_rounds = 100;

struct prediction {
    std::optional<double> fpr;
    std::optional<double> deletability; // chance that a member can be removed
    std::optional<double> refusal = {}; // chance that one more key finds no room, for kinds that refuse
};

/// Estimates from the actual cells of a filter.
struct measurement {
    double fpr = 0;                        // current FPR
    double items = 0;                      // estimated number of keys
    std::optional<double> deletable_share; // of the items in it now
    /// Chance that a key which was never inserted would be removed as if it had been. Lower than the FPR where all cells of an absent
    /// key may be saturated; nothing: equal to the FPR.
    std::optional<double> absent_key_risk = {};
};

[[nodiscard]] inline result<void> check(const workload& wanted) {
    if (wanted.items == 0) {
        return fail(failure_reason::bad_parameter, "items is 0; say how many keys the filter will hold, at least 1");
    }
    if (!(wanted.fpr > 0) || !(wanted.fpr < 1)) {
        return fail(failure_reason::bad_parameter,
                    "fpr is " + std::to_string(wanted.fpr) + "; it must lie between 0 and 1, for example 0.01 or 0.1%");
    }
    return {};
}

} // namespace everbloom
