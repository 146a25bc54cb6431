// What first-fit leaves of the known negatives of a yes_no filter, by its model (docs/models/yes_no.md), beside what a simulation measures.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <optional>

namespace everbloom {

/// Per filter; nothing for filters that are not built by first-fit, and for those that are too large for the model.
[[nodiscard]] std::optional<double> left_by_first_fit(const any_filter& simulated, std::uint64_t items,
                                                      std::uint64_t negatives);

} // namespace everbloom
