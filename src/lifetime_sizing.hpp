// lifetime_sizing: sizes a filter so that it still meets the target FPR at the end of a workload.
//
// A kind is sized by an FPR, the lower the larger. Cells that wear out are sized for a lower FPR than the target; which
// one is found by bisection on the model's prediction. More than four times the memory is not considered: kinds that
// do not wear out need less.
#pragma once

#include "settled_request.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/planner.hpp>

namespace everbloom {

struct lifetime_sizing {
    build_request request; // with the FPR to size for
    settled_request settled;
    prediction predicted; // at the end of the workload
};

/// The conditions at the end.
struct lifetime_goal {
    lifetime lived;
    double fpr = 0;
    double deletable = 0; // least share of the members that can be removed; checked only if there are removals
};

/// Whole cells and hashes: a planned FPR is met only within this tolerance.
inline constexpr double rate_play = 1.02;

/// `wanted` has items. The failure says what stands in the way; its kind is not filled in.
[[nodiscard]] expected<lifetime_sizing, dropped_kind> size_for_life(const build_request& wanted,
                                                                    const lifetime_goal& goal);

} // namespace everbloom
