// Capacity: the number of keys a filter was created for, at its target FPR. Jobs refuse to exceed it.
//
// Above its capacity the FPR of a filter rises with every key. A change that would take it more than a tenth above the target should be
// refused as a whole, unless the user accepts that. Up to the capacity nothing is refused: there a higher FPR is chance. The number of keys
// is an estimate from the cells, with a standard deviation below half of its square root, so "above" begins two square roots above. And
// cells that are all occupied give no estimate: an FPR above the square root of the target (3 % for 0.1 %) is never chance, and is
// refused in any case.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace everbloom {

/// How far above its target FPR a filter may be.
inline constexpr double rate_tolerance = 1.1;

/// The smallest capacity of a filter sized from its first keys: more keys usually follow.
inline constexpr std::uint64_t least_default_items = 1000;

[[nodiscard]] bool exceeds(const measurement& now, const capacity_target& target) noexcept;

/// The failure: "over its capacity of 10 keys at 1.00 % FPR: with 5 more keys it would hold ...". `change` ("with 5 more keys") leads to
/// the measurement. The caller adds what became of the change, and what to do.
[[nodiscard]] failure over_capacity(std::string_view change, const measurement& now, const capacity_target& target);

enum class geometry_source { given, planned };

/// The capacity of a new filter: the FPR asked for, or the one that the model predicts for its geometry. Refuses a target that the
/// geometry cannot reach. A planned geometry has some tolerance, because cells and hash functions are whole numbers: with one key that
/// can cost a factor of three. `fpr_option`: what users set the FPR with, for the advice in the failure.
[[nodiscard]] result<capacity_target> capacity_for(const any_filter& filter, geometry_source source,
                                                   std::uint64_t items, std::optional<double> asked,
                                                   std::string_view fpr_option = "FPR");

/// "1,000 keys at 0.100 % FPR"; "not set" for a filter without a capacity.
[[nodiscard]] std::string capacity_text(const capacity_target& target);

/// "94 % full", from 90 % of the capacity on: soon keys will be refused. Empty before, and for a filter that grows by itself, unless it
/// keeps its FPR up to a planned number of keys only: then "94 % of its planned growth is used".
[[nodiscard]] std::string fullness_text(const filter_file& file, const measurement& now);

/// "about 1,020 keys, current FPR 0.104 % (capacity: 1,000 keys at 0.100 % FPR)"
[[nodiscard]] std::string state_text(const measurement& now, const capacity_target& target);

} // namespace everbloom
