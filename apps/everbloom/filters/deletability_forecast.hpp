// deletability_forecast: which share of the members could be removed if so many more came.
//
// A filter with a past is not a fresh one with as many items: cells that are stuck stay stuck. What its cells say about removals now
// tells how many items ever came, and those to come are added to them.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <optional>

namespace everbloom::cli {

/// Nothing where the kind cannot remove, or where its cells say that it is empty.
[[nodiscard]] std::optional<double> forecast_deletability(const any_filter& filter, const measurement& now,
                                                          std::uint64_t more_items);

} // namespace everbloom::cli
