// The filter that `create` makes when nobody names its kind, or says what it will live through: what the planner would choose.
#pragma once

#include "commands/plan/life_flags.hpp"
#include "filters/geometry_flags.hpp"

#include <everbloom/runtime/planner.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

struct chosen_filter {
    build_request request;     // sized so that the rate holds to the end
    std::optional<double> fpr; // the rate that was asked for, if one was
};

/// `kind` nothing: the best one that has every parameter that was given. `items` are used where --items was not given; nothing: a kind is
/// chosen, and the request has no items.
[[nodiscard]] result<chosen_filter> choose_filter(const std::optional<std::string>& kind, const geometry_flags& given,
                                                  const life_flags& life, std::optional<std::uint64_t> items);

} // namespace everbloom::cli
