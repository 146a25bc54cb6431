// deletability_forecast: the share of members that could be removed after more keys were added.
//
// A filter with a history differs from a new one with as many keys: saturated cells stay saturated. The deletable share of its cells now
// says how many keys were ever added; the new keys are added to them.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <optional>

namespace everbloom {

/// Nothing if the kind cannot remove keys, or if the filter is empty.
[[nodiscard]] std::optional<double> forecast_deletability(const any_filter& filter, const measurement& now,
                                                          std::uint64_t more_items);

} // namespace everbloom
