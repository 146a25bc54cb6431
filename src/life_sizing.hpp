// life_sizing: makes a filter of a kind so large that it still keeps a rate at the end of a life.
//
// A kind is sized by a rate, the lower the larger. Cells that wear out are sized for a lower rate than the one that was asked for; which
// one is found by bisection, with the model as the judge. More than four times the memory for it is not worth looking at: kinds that
// do not wear out need less.
#pragma once

#include "settled_request.hpp"

#include <everbloom/runtime/planner.hpp>

#include <tl/expected.hpp>

namespace everbloom {

struct life_sizing {
    build_request request; // with the rate to be sized for
    settled_request settled;
    prediction predicted; // at the end of the life
};

/// What has to be true at the end.
struct life_goal {
    life lived;
    double fpr = 0;
    double deletable = 0; // least share of the members that can be removed; looked at only if there are removals
};

/// Whole cells and hashes: a planned rate is met only so closely.
inline constexpr double rate_play = 1.02;

/// `wanted` has items. The failure says what stands in the way; its kind is not filled in.
[[nodiscard]] tl::expected<life_sizing, dropped_kind> size_for_life(build_request wanted, const life_goal& goal);

} // namespace everbloom
