// The kind that a filter gets if its options name none, and its size for what the options say about its lifetime.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <cstdint>

namespace everbloom::door {

struct sized_request {
    build_request request;
    std::uint64_t capacity =
        0; // as asked for; what the set grows to, if the planner has chosen a kind that does not grow
};

/// What to build. Without a named kind it is the planner's best one for capacity, FPR, lifetime and known negatives. Planning takes some milliseconds; the
/// answers are remembered, so that many filters with the same options cost it once. Any thread may call it.
[[nodiscard]] result<sized_request> request_for(const filter_options& wanted);

} // namespace everbloom::door
