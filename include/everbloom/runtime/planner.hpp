// planner: which kinds can do a job, how large each of them must be for it, and which one suits it best.
//
// The rate that was asked for must hold at the end of the life, not only at its beginning: cells that wear out are made more numerous
// until the model says that they last. A kind that cannot do it drops out, with a reason. Nothing is allocated: all of it is
// arithmetic with the models. The rules are explained in docs/choosing.md.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

/// What is known beforehand of the life of a filter.
struct expected_life {
    double removed_share = 0; // so many keys more, in units of the items, come and leave again
    double turnovers = 0;     // then every item is replaced so many times, one at a time
    double growth = 1;        // the set may become so many times as large
    bool may_refuse =
        true; // a key may be refused for lack of room: nobody adds the same one again and again, or too many

    [[nodiscard]] bool removes() const noexcept { return removed_share > 0 || turnovers > 0; }
    friend bool operator==(const expected_life&, const expected_life&) = default;
};

/// Nothing is known: keys come and go for ever, come again and again, and nobody knows how many there will be.
inline constexpr expected_life any_life{0, lasting_turnovers, 16, false};

struct planning_request {
    workload wanted;
    expected_life life = any_life;
    double deletable = 0.9;                         // so many of the members, at least, can be removed at the end
    std::uint64_t negatives = 0;                    // known negatives to be protected from
    std::optional<std::uint64_t> memory_bytes = {}; // that there are
};

/// A kind that can do it, made as small as that allows.
struct planned_kind {
    const kind_info* kind = nullptr;
    build_request request;         // what `build` makes of it
    life lived;                    // what `predicted` is about
    prediction predicted;          // at the end
    std::uint64_t first_bytes = 0; // when it is made
    std::uint64_t bytes = 0;       // at the end
    std::uint64_t slow_bytes = 0;  // of these, memory that queries never touch
    std::uint64_t guard_bytes = 0; // of these, a guard against the known negatives
    std::uint64_t query_lines = 0; // lines of memory that a query looks at, at most
    std::optional<std::uint64_t> hashes = {};
    double cost = 0; // what ranks it: less is better
};

enum class obstacle {
    cannot_remove,
    loses_members,
    may_refuse,
    no_negatives,     // it is for known negatives, and there are none
    no_model,         // nobody knows what such a life does to it
    no_geometry,      // `sentence` says why
    rate_too_high,    // at the end, however large: it wears out
    stay_for_ever,    // too many members could not be removed
    worse_than_exact, // a set of whole keys would be smaller
    too_large,        // for the memory there is
};

struct dropped_kind {
    const kind_info* kind = nullptr;
    obstacle why{};
    double figure = 0;       // the rate, or the share that can be removed, of the largest one that was considered
    std::uint64_t bytes = 0; // what it would need
    std::string sentence = {};
};

struct ranking {
    std::vector<planned_kind> candidates; // best first
    std::vector<dropped_kind> dropped;    // in the order of the list of kinds
};

/// Fails only if the request itself is nonsense.
[[nodiscard]] result<ranking> rank_kinds(const planning_request& wanted);

/// The lowest rate that any kind can keep in the memory there is, and the ranking for it; nothing if there is none below 1.
struct affordable_rate {
    double fpr = 1;
    ranking kinds;
};
[[nodiscard]] result<std::optional<affordable_rate>> lowest_affordable_rate(planning_request wanted);

/// A request for one kind whose rate holds at the end of such a life: the same, with a lower rate to be sized for. What `given` says of
/// the geometry stays. The life may not grow: say the items at its end.
[[nodiscard]] result<build_request> sized_for_life(const build_request& given, const expected_life& life,
                                                   double deletable);

} // namespace everbloom
