// What a filter is asked for, what it will live through, and what a model says about it.
#pragma once

#include <everbloom/core/result.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace everbloom {

/// What a user asks for.
struct workload {
    std::uint64_t items = 0;
    double fpr = 0.001; // the default of the sizing rule [Summary02]
};

/// What happens to a filter: `items` are in it at the end.
struct life {
    std::uint64_t items = 0;
    double removed_share = 0; // r: (1 + r) * items were inserted, then r * items of them removed
    double turnovers = 0;     // then each turnover replaces every item once, one at a time
    double negatives = 0;     // then it is protected from so many known negatives, if its kind can
};

/// Of a filter that is to last: what survives a hundred turnovers does not wear out.
inline constexpr double lasting_turnovers = 100;

struct prediction {
    std::optional<double> fpr;
    std::optional<double> deletability; // chance that a member can be removed
    std::optional<double> refusal = {}; // chance that one more key finds no room, for kinds that refuse
};

/// What the real cells of a filter say.
struct measurement {
    double fpr = 0;                        // expected rate for a key that was never inserted
    double items = 0;                      // how many keys would fill it so
    std::optional<double> deletable_share; // of the items in it now
    /// Chance that a key which was never inserted would be removed as if it had been. Less than the rate where a stranger may find
    /// only cells that are stuck; nothing: the rate itself.
    std::optional<double> stranger_risk = {};
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
