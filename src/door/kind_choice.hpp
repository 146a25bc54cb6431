// The kind that a filter gets if its options name none.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/options.hpp>

#include <string_view>

namespace everbloom::door {

/// The planner's best kind for capacity, FPR, lifetime and known negatives. Planning takes some milliseconds; the answers are remembered,
/// so that many filters with the same options cost it once. Any thread may call it.
[[nodiscard]] result<std::string_view> choose_kind(const filter_options& wanted);

} // namespace everbloom::door
