// affordable: refuses a simulation that this machine could not finish, before it begins.
#pragma once

#include <everbloom/simulation/simulation.hpp>

namespace everbloom {

/// A day's work for a few cores.
inline constexpr double most_keys = 1e12;

/// Fails if more keys would have to be handled than `most_keys`, or if the filters and the lists of members of the trials that run at
/// the same time need more memory than the machine has.
[[nodiscard]] result<void> check_affordable(const any_filter& empty, const simulation_request& wanted);

} // namespace everbloom
