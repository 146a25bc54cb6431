// The kind that a filter gets if its options name none, and its size for what the options say about its lifetime.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <cstdint>

namespace everbloom::door {

/// Fills in a request that has the given kind, capacity, FPR and geometry: the kind, if it is empty, and what the lifetime asks for. Returns
/// the capacity: the one asked for, or, for a kind that the planner has chosen and that does not grow, what the set grows to. The planner's
/// choices take some milliseconds; they are remembered, so that many filters with the same options cost it once. Any thread may call it.
[[nodiscard]] result<std::uint64_t> complete(build_request& request, const filter_options& wanted);

} // namespace everbloom::door
