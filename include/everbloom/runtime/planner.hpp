// planner: ranks the kinds for a workload, each with the size it needs.
//
// The target FPR must hold at the end of the lifetime, not only at its beginning: kinds whose cells wear out get more cells until the
// model says that they last. A kind that cannot do it drops out, with a reason. Nothing is allocated: all of it is
// arithmetic with the models. The rules are explained in docs/choosing.md.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/expected_lifetime.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

struct planning_request {
    workload wanted;
    expected_lifetime lifetime = any_lifetime;
    double deletable = 0.9;                         // least share of the members that can be removed at the end
    std::uint64_t negatives = 0;                    // known negatives to be protected from
    std::optional<std::uint64_t> memory_bytes = {}; // available
};

/// A kind that meets the request, at its smallest size.
struct planned_kind {
    const kind_info* kind = nullptr;
    build_request request;         // what `build` makes of it
    lifetime lived;                // the workload of `predicted`
    prediction predicted;          // at the end
    std::uint64_t first_bytes = 0; // when it is made
    std::uint64_t bytes = 0;       // at the end
    std::uint64_t slow_bytes = 0;  // of these, memory that queries never touch
    std::uint64_t guard_bytes = 0; // of these, an exclusion list for the known negatives
    std::uint64_t query_lines = 0; // cache lines that a query reads, at most
    std::optional<std::uint64_t> hashes = {};
    double cost = 0;            // what ranks it: less is better
    bool keeps_members = false; // some could never be removed: it comes after all others
};

enum class obstacle {
    cannot_remove,
    loses_members,
    may_refuse,
    no_negatives,     // it is for known negatives, and there are none
    no_model,         // there is no model of that workload for it
    no_geometry,      // `sentence` says why
    rate_too_high,    // at the end, however large: it wears out
    stay_for_ever,    // too many members can never be removed
    worse_than_exact, // a set of whole keys would be smaller
    too_large,        // for the available memory
};

struct dropped_kind {
    const kind_info* kind = nullptr;
    obstacle why{};
    double figure = 0;       // the FPR, or the deletable share, of the largest one that was considered
    std::uint64_t bytes = 0; // what it would need
    std::string sentence = {};
};

struct ranking {
    std::vector<planned_kind> candidates; // best first
    std::vector<dropped_kind> dropped;    // in the order of the list of kinds
};

/// Fails only if the request itself is invalid.
[[nodiscard]] result<ranking> rank_kinds(const planning_request& wanted);

/// Does a kind suit? The first argument is for its own use. Not std::function, whose header is as long as all of ours.
using kind_choice_rule = bool (*)(const void* context, const kind_info&);

/// The first candidate of `rank_kinds` whose kind `suits` (all do without it); nothing if there is none. Kinds that cannot be the first are
/// not worked out, which takes most of the time.
[[nodiscard]] result<std::optional<planned_kind>>
best_kind(const planning_request& wanted, kind_choice_rule suits = nullptr, const void* context = nullptr);
template <std::predicate<const kind_info&> Suits>
[[nodiscard]] result<std::optional<planned_kind>> best_kind(const planning_request& wanted, const Suits& suits) {
    return best_kind(
        wanted,
        [](const void* rule, const kind_info& kind) -> bool { return (*static_cast<const Suits*>(rule))(kind); },
        &suits);
}

/// The lowest FPR that any kind can keep in the available memory, and the ranking for it; nothing if there is none below 1.
struct affordable_rate {
    double fpr = 1;
    ranking kinds;
};
[[nodiscard]] result<std::optional<affordable_rate>> lowest_affordable_rate(planning_request wanted);

/// For a kind that is chosen already, and a set that grows to `times` the items of the request. A kind that plans its growth is told how
/// far; others that grow by themselves begin with their final size if their FPR would rise; those that do not grow are refused.
[[nodiscard]] result<void> plan_growth(build_request& request, double times);

/// A request for one kind whose FPR holds at the end of the given workload: the same, sized for a lower FPR. Parameters set in `given`
/// are kept. The workload may not grow: give the items at its end.
[[nodiscard]] result<build_request> sized_for_lifetime(const build_request& given, const expected_lifetime& lifetime,
                                                       double deletable);

} // namespace everbloom
