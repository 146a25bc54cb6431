// chosen_kind: the kind and size that `create` uses: from the flags, or from the planner.
#pragma once

#include "commands/plan/lifetime_flags.hpp"
#include "filters/geometry_flags.hpp"

#include <everbloom/runtime/planner.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

struct chosen_filter {
    build_request request;     // sized to hold the target FPR to the end of the workload
    std::optional<double> fpr; // the --fpr given, if any
};

/// Without `kind`: the best one that has every given parameter. `items` is used if no --capacity was given; without both, a kind is
/// chosen and the request has no number of keys.
[[nodiscard]] result<chosen_filter> choose_filter(const std::optional<std::string>& kind, const geometry_flags& given,
                                                  const lifetime_flags& lifetime, std::optional<std::uint64_t> items);

} // namespace everbloom::cli
