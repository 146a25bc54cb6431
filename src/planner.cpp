#include "lifetime_sizing.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/exclusion_list.hpp>
#include <everbloom/runtime/planner.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom {
namespace {

// What a byte is worth (docs/choosing.md): each cache line after the first that a query may read counts as 25 % more bytes. Measured on
// 256 MiB: each takes 80 % longer than one line in a batch, where they are read at the same time as those of other keys, and 8 % in a
// single query, where they are read together. The geometric mean of both.
constexpr double cost_of_a_line = 0.25;
/// More members than this that could not be removed, and a kind comes after all that can remove theirs, however small it is.
constexpr double negligible_staying = 0.001;

constexpr std::uint64_t most_items = max_structure_bits; // a bit for each

using planned_or_dropped = expected<planned_kind, dropped_kind>;

result<void> check(const planning_request& wanted) {
    const auto refuse = [](const char* sentence) { return fail(failure_reason::bad_parameter, sentence); };
    if (auto checked = everbloom::check(wanted.wanted); !checked) return checked;
    const expected_lifetime& lifetime = wanted.lifetime;
    if (!(lifetime.removed_share >= 0) || !(lifetime.churn_rounds >= 0) ||
        !std::isfinite(lifetime.removed_share + lifetime.churn_rounds)) {
        return refuse("the share of removed keys and the number of churn rounds must be finite and not negative");
    }
    if (!(lifetime.growth >= 1)) return refuse("the growth factor must be at least 1");
    if (!(wanted.deletable >= 0 && wanted.deletable <= 1)) {
        return refuse("the share of members that can be removed must be between 0 and 1");
    }
    const double all = static_cast<double>(wanted.wanted.items) * lifetime.growth *
                       (1 + lifetime.removed_share + lifetime.churn_rounds + static_cast<double>(wanted.negatives));
    if (!std::isfinite(all) ||
        !(static_cast<double>(wanted.wanted.items) * lifetime.growth <= static_cast<double>(most_items))) {
        return refuse("that would be more than 2^56 keys; ask for fewer items, or less growth");
    }
    return {};
}

std::uint64_t bytes_of(const std::vector<std::uint64_t>& lines, std::size_t from) {
    std::uint64_t sum = 0;
    for (std::size_t i = from; i < lines.size(); ++i) sum += lines[i];
    return sum * line_bytes;
}

/// As `exclude` makes it.
std::uint64_t guard_bytes(const planned_kind& planned, std::uint64_t negatives) {
    const double false_positives = std::ceil(static_cast<double>(negatives) * planned.predicted.fpr.value_or(1));
    const auto members = static_cast<double>(planned.lived.items) + 1;
    return exclusion_list_size::for_keys(static_cast<std::uint64_t>(false_positives),
                                         exclusion_list_size::room_to_grow * members)
               .lines() *
           line_bytes;
}

bool has_parameter(const kind_info& kind, std::string_view name) {
    return std::any_of(kind.parameters.begin(), kind.parameters.end(),
                       [&](const parameter_info& one) { return one.name == name; });
}

/// The capacity to plan for. A kind that refuses keys needs room for all that are ever present at once.
std::uint64_t items_to_plan_for(const kind_info& kind, std::uint64_t items, const expected_lifetime& lifetime) {
    if (!kind.may_refuse_keys) return items;
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(items) * (1 + lifetime.removed_share)));
}

double cost_of(double bytes, std::uint64_t query_lines) {
    return bytes * (1 + cost_of_a_line * static_cast<double>(query_lines - 1));
}

planned_kind describe(const lifetime_sizing& made, const planning_request& wanted, const lifetime& lived) {
    const kind_entry& entry = *made.settled.entry;
    planned_kind planned;
    planned.kind = &entry.info;
    planned.request = made.request;
    planned.lived = lived;
    planned.predicted = made.predicted;
    planned.first_bytes = made.settled.bytes();
    const parameter_values grown = entry.grown(made.settled.values, lived);
    const auto lines = entry.section_lines(grown);
    planned.bytes = bytes_of(lines, 0);
    planned.slow_bytes = bytes_of(lines, entry.fast_sections);
    planned.query_lines = entry.query_lines(grown);
    for (std::size_t i = 0; i < entry.info.parameters.size(); ++i) {
        if (entry.info.parameters[i].name == "hashes") planned.hashes = grown[i];
    }
    if (wanted.negatives > 0 && !entry.info.capabilities.has(capability::protect)) {
        planned.guard_bytes = guard_bytes(planned, wanted.negatives);
        planned.bytes += planned.guard_bytes;
        planned.first_bytes += planned.guard_bytes;
    }
    // A set that may grow is between its first and its last size: the geometric mean.
    const double bytes = std::sqrt(static_cast<double>(planned.first_bytes) * static_cast<double>(planned.bytes));
    planned.cost = cost_of(bytes, planned.query_lines);
    planned.keeps_members =
        wanted.lifetime.removes() && 1 - planned.predicted.deletability.value_or(1) > negligible_staying;
    return planned;
}

bool is_better(const planned_kind& one, const planned_kind& other) noexcept {
    return one.keeps_members != other.keeps_members ? other.keeps_members : one.cost < other.cost;
}

/// A set of whole keys takes some hundred bits each. Small filters are rounded up to cache lines and pages, and are exempt.
bool is_worse_than_exact(const planned_kind& planned) {
    constexpr std::uint64_t small_bytes = 1 << 20;
    constexpr double exact_bits = 1024;
    return planned.bytes > small_bytes &&
           8 * static_cast<double>(planned.bytes) > exact_bits * static_cast<double>(planned.lived.items);
}

/// Why a kind is out of the question whatever its size.
std::optional<dropped_kind> excluded(const kind_info& kind, const planning_request& wanted) {
    const expected_lifetime& expected = wanted.lifetime;
    if (!kind.capabilities.has(capability::insert)) {
        return dropped_kind{.why = obstacle::no_geometry,
                            .sentence = "is built once, from all of its keys, and takes no others"};
    }
    if (expected.removes() && !kind.capabilities.has(capability::erase)) {
        return dropped_kind{.why = obstacle::cannot_remove};
    }
    if (expected.removes() && kind.loses_members) return dropped_kind{.why = obstacle::loses_members};
    if (!expected.may_refuse && kind.may_refuse_keys) return dropped_kind{.why = obstacle::may_refuse};
    if (kind.capabilities.has(capability::protect) && wanted.negatives == 0) {
        return dropped_kind{.why = obstacle::no_negatives};
    }
    return std::nullopt;
}

std::uint64_t last_items(const planning_request& wanted) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.wanted.items) * wanted.lifetime.growth));
}

/// A kind that grows by itself begins small, if it then keeps its FPR. Every other one is sized for the end.
bool may_begin_small(const kind_info& kind, const planning_request& wanted) {
    return kind.grows_by_itself && last_items(wanted) > wanted.wanted.items;
}

/// Sized for the end, before it is known how the kind wears.
build_request final_request(const kind_info& kind, const planning_request& wanted) {
    const std::uint64_t items = last_items(wanted);
    build_request request{
        std::string(kind.name), items_to_plan_for(kind, items, wanted.lifetime), wanted.wanted.fpr, {}};
    if (kind.capabilities.has(capability::protect) && wanted.negatives > 0 && has_parameter(kind, "negatives")) {
        request.parameters.push_back({"negatives", std::to_string(wanted.negatives)});
    }
    // A kind that plans its growth is told how far; where nothing is known, it decides itself.
    if (wanted.lifetime != any_lifetime && has_parameter(kind, "planned_keys")) {
        request.parameters.push_back({"planned_keys", std::to_string(items)});
    }
    return request;
}

planned_or_dropped plan_included(const kind_info& kind, const planning_request& wanted) {
    const expected_lifetime& expected = wanted.lifetime;
    const bool protects = kind.capabilities.has(capability::protect);
    const lifetime_goal goal{{.items = last_items(wanted),
                              .removed_share = expected.removed_share,
                              .churn_rounds = expected.churn_rounds,
                              .negatives = protects ? static_cast<double>(wanted.negatives) : 0},
                             wanted.wanted.fpr,
                             wanted.deletable};
    const build_request request = final_request(kind, wanted);
    if (may_begin_small(kind, wanted)) {
        build_request small = request;
        small.items = wanted.wanted.items;
        auto made = size_for_life(small, goal);
        if (made && *made->request.fpr == wanted.wanted.fpr) return describe(*made, wanted, goal.lived);
    }
    auto made = size_for_life(request, goal);
    if (!made) return unexpected(std::move(made.error()));
    return describe(*made, wanted, goal.lived);
}

planned_or_dropped plan_kind(const kind_info& kind, const planning_request& wanted) {
    if (auto why = excluded(kind, wanted)) return unexpected(std::move(*why));
    auto planned = plan_included(kind, wanted);
    if (planned && is_worse_than_exact(*planned)) {
        return unexpected(dropped_kind{.why = obstacle::worse_than_exact, .bytes = planned->bytes});
    }
    if (planned && wanted.memory_bytes && planned->bytes > *wanted.memory_bytes) {
        return unexpected(dropped_kind{.why = obstacle::too_large, .bytes = planned->bytes});
    }
    return planned;
}

#if !defined(EVERBLOOM_SMALL)
/// What a kind costs if it neither wears out nor grows: it can only become more. Nothing if it has no geometry at all.
std::optional<double> least_cost(const kind_info& kind, const planning_request& wanted) {
    build_request request = final_request(kind, wanted);
    if (may_begin_small(kind, wanted)) request.items = wanted.wanted.items;
    const auto settled = settle(request);
    if (!settled) return std::nullopt;
    return cost_of(static_cast<double>(settled->bytes()), settled->entry->query_lines(settled->values));
}
#endif

} // namespace

result<ranking> rank_kinds(const planning_request& wanted) {
    return or_out_of_memory([&]() -> result<ranking> {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        ranking made;
        for (const kind_info& kind : known_kinds()) {
            auto planned = plan_kind(kind, wanted);
            if (planned) {
                made.candidates.push_back(std::move(*planned));
            } else {
                made.dropped.push_back(std::move(planned.error()));
                made.dropped.back().kind = &kind;
            }
        }
        std::stable_sort(made.candidates.begin(), made.candidates.end(), is_better);
        return made;
    });
}

result<std::optional<planned_kind>> best_kind(const planning_request& wanted, kind_choice_rule suits,
                                              const void* context) {
    return or_out_of_memory([&]() -> result<std::optional<planned_kind>> {
#if defined(EVERBLOOM_SMALL) // less code, which matters more there
        auto all = rank_kinds(wanted);
        if (!all) return fail(std::move(all.error()));
        for (planned_kind& one : all->candidates) {
            if (suits == nullptr || suits(context, *one.kind)) return std::move(one);
        }
        return std::nullopt;
#else
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        struct hopeful {
            const kind_info* kind;
            double least_cost;
        };
        std::vector<hopeful> hopefuls; // the cheapest first: it is probably the best
        for (const kind_info& kind : known_kinds()) {
            if ((suits != nullptr && !suits(context, kind)) || excluded(kind, wanted)) continue;
            // Without a geometry for this FPR it may have one for a lower FPR; it is worked out last.
            hopefuls.push_back({&kind, least_cost(kind, wanted).value_or(std::numeric_limits<double>::infinity())});
        }
        std::stable_sort(hopefuls.begin(), hopefuls.end(),
                         [](const hopeful& a, const hopeful& b) { return a.least_cost < b.least_cost; });
        // A model may plan fewer lines or cells for a lower FPR now and then: such a difference is not this large.
        constexpr double margin = 0.8;
        std::optional<planned_kind> best;
        for (const hopeful& one : hopefuls) {
            if (best && !best->keeps_members && margin * one.least_cost > best->cost) break;
            auto planned = plan_kind(*one.kind, wanted);
            if (!planned) continue;
            // Equal ones are ranked in the order of the list of kinds.
            const bool is_first = best && !is_better(*best, *planned) && planned->kind < best->kind;
            if (!best || is_better(*planned, *best) || is_first) best = std::move(*planned);
        }
        return best;
#endif
    });
}

result<std::optional<affordable_rate>> lowest_affordable_rate(planning_request wanted) {
    const auto at = [&](double rate) {
        wanted.wanted.fpr = rate;
        return rank_kinds(wanted);
    };
    constexpr double highest = 0.99;
    double too_low = wanted.wanted.fpr;
    auto found = at(highest);
    if (!found) return fail(std::move(found.error()));
    if (found->candidates.empty()) return std::optional<affordable_rate>{};
    affordable_rate best{highest, std::move(*found)};
    constexpr int steps = 12;
    for (int i = 0; i < steps; ++i) {
        const double rate = std::sqrt(too_low * best.fpr);
        auto tried = at(rate);
        if (!tried) return fail(std::move(tried.error()));
        if (tried->candidates.empty()) {
            too_low = rate;
        } else {
            best = {rate, std::move(*tried)};
        }
    }
    // A round number that is easy to copy, a little higher.
    const double unit = std::pow(10, std::floor(std::log10(best.fpr)) - 2);
    const double round_rate = std::fmin(std::ceil(best.fpr / unit) * unit, highest);
    if (auto rounded = at(round_rate); rounded && !rounded->candidates.empty())
        best = {round_rate, std::move(*rounded)};
    return std::optional(std::move(best));
}

result<void> plan_growth(build_request& request, double times) {
    return or_out_of_memory([&]() -> result<void> {
        const kind_info* kind = find_kind(request.kind);
        if (kind == nullptr) return fail(unknown_kind(request.kind));
        if (!(times >= 1) || !std::isfinite(times)) {
            return fail(failure_reason::bad_parameter, "growth is a factor of at least 1");
        }
        if (has_parameter(*kind, "planned_keys")) {
            if (!request.items) return {};
            const double keys =
                std::fmin(static_cast<double>(*request.items) * times, static_cast<double>(max_structure_bits));
            request.parameters.push_back({"planned_keys", std::to_string(std::llround(keys))});
            return {};
        }
        if (times == 1) return {};
        if (kind->grows_by_itself) {
            if (!request.items) return {};
            const workload wanted{*request.items, request.fpr.value_or(workload{}.fpr)};
            if (auto checked = check(planning_request{.wanted = wanted, .lifetime = {0, 0, times, true}}); !checked) {
                return checked;
            }
            const auto last_items = static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.items) * times));
            build_request small = request;
            small.fpr = wanted.fpr;
            const auto made = size_for_life(small, {{.items = last_items}, wanted.fpr, 0});
            // One whose FPR would rise while it grows begins with its final size.
            if (!made || *made->request.fpr != wanted.fpr) request.items = last_items;
            return {};
        }
        return fail(failure_reason::bad_parameter,
                    with_article(std::string(kind->name)) + " filter does not grow by itself; give the final capacity");
    });
}

result<build_request> sized_for_lifetime(const build_request& given, const expected_lifetime& lifetime,
                                         double deletable) {
    return or_out_of_memory([&]() -> result<build_request> {
        const kind_info* kind = find_kind(given.kind);
        if (kind == nullptr) return fail(unknown_kind(given.kind));
        const std::string name(kind->name);
        if (lifetime.removes() && !kind->capabilities.has(capability::erase)) {
            return fail(failure_reason::unsupported,
                        with_article(name) + " filter cannot remove keys; choose another kind");
        }
        if (!given.items)
            return fail(failure_reason::bad_parameter,
                        "items is missing: set the number of keys that the filter will hold");
        const workload asked{*given.items, given.fpr.value_or(workload{}.fpr)};
        if (auto checked = check(planning_request{.wanted = asked, .lifetime = lifetime, .deletable = deletable});
            !checked) {
            return fail(std::move(checked.error()));
        }
        const lifetime_goal goal{
            {.items = asked.items, .removed_share = lifetime.removed_share, .churn_rounds = lifetime.churn_rounds},
            asked.fpr,
            deletable};
        // With a given size there is nothing to choose.
        build_request lower = given;
        lower.fpr = asked.fpr / 16;
        const auto one = settle(given);
        const auto other = settle(lower);
        if (one && other && one->values == other->values) return given;
        build_request wanted = given;
        wanted.items = items_to_plan_for(*kind, asked.items, lifetime);
        auto made = size_for_life(wanted, goal);
        if (made) return std::move(made->request);
        const dropped_kind& no = made.error();
        if (no.why == obstacle::no_geometry) return fail(failure_reason::bad_parameter, no.sentence);
        return fail(failure_reason::unsupported,
                    "no " + name + " filter of a reasonable size meets the request: " +
                        (no.why == obstacle::no_model        ? "there is no model of this workload for it"
                         : no.why == obstacle::rate_too_high ? "it wears out, and its FPR is too high at the end"
                                                             : "too many members could not be removed at the end") +
                        "; 'plan' shows the kinds that can");
    });
}

} // namespace everbloom
