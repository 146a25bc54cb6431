// resizing: makes a filter larger or smaller without its keys, for kinds that support it.
//
// Kinds that can be resized freely get the geometry that the planner chooses for the request. `quotient`, which grows by itself, gets the size
// that it would have grown to. Other kinds change their size in steps: the number of steps is found with an empty filter of the same
// geometry, then the real one takes the same steps. Nothing is changed unless all of them succeed and the target FPR still holds.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace everbloom {

/// The requirements on the new size.
struct resize_request {
    std::optional<std::uint64_t> capacity = {}; // keys; if not given, those in the filter
    std::optional<double> fpr = {};             // target; if not given, that of the filter
    std::optional<std::uint64_t> bytes = {};    // at most; the largest capacity that fits, at the same FPR
};

/// Changes the filter and its capacity; a failure changes nothing.
[[nodiscard]] result<void> resize_filter(filter_file& file, const resize_request& wanted);

/// What becomes of the capacity if the request has none.
enum class capacity_rule {
    keep_if_possible, // the capacity of before, if the new geometry is large enough for it
    present_keys,     // as many keys as are in the filter
};

/// A resizing that was planned, but not done.
struct resize_plan {
    std::uint64_t items = 0; // the number of keys that it is sized for
    std::optional<double> fpr;
    capacity_target target;  // afterwards
    any_filter resized;      // an empty filter of the new geometry
    int steps = 0;           // of a kind that cannot be resized freely: positive to grow, negative to shrink
    std::uint64_t lines = 0; // of a quotient table, which takes any number of them
    bool is_limited = false; // it may not be larger
};

inline constexpr std::string_view usual_fpr_option = "a higher target FPR";

/// Changes nothing. `now` is what `file.filter().measure()` returns. `fpr_option`: what users set the FPR with, for the advice in a failure.
[[nodiscard]] result<resize_plan> plan_resize(const filter_file& file, const measurement& now,
                                              const resize_request& wanted, capacity_rule rule,
                                              std::string_view fpr_option = usual_fpr_option);

/// Carries out a plan for this file; a failure changes nothing.
[[nodiscard]] result<void> apply_resize(filter_file& file, const resize_plan& plan);

/// A size on paper, for a kind that grows by itself: nothing is allocated, however large it is.
struct growth_plan {
    std::uint64_t lines = 0; // cache lines of its cells
    capacity_target target;  // afterwards
};

/// The size that the filter would have grown to with this many keys, at least those in it. Fails if its target FPR would not hold, with the
/// sentences of `plan_resize`.
[[nodiscard]] result<growth_plan> plan_growth(const filter_file& file, const measurement& now, std::uint64_t capacity);

} // namespace everbloom
