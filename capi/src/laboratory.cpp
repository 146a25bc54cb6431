// The planner, the models and the simulation, asked and answered in JSON.
#include "document_parts.hpp"
#include "json_request.hpp"

#include <everbloom/core/wording.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/planner.hpp>
#include <everbloom/simulation/affordable.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace everbloom::capi {
namespace {

/// Puts the value of a member, if it is there, where it belongs.
template <class Value, class Into>
result<void> take(result<std::optional<Value>> found, Into& into) {
    if (!found) return fail(std::move(found.error()));
    if (*found) into = std::move(**found);
    return {};
}

/// All of these members, one after the other; the first failure.
result<void> all_of(std::initializer_list<result<void>> taken) {
    for (const result<void>& one : taken) {
        if (!one) return one;
    }
    return {};
}

result<planning_request> planning_of(const char* text) {
    auto request = json_request::parse(text);
    if (!request) return fail(std::move(request.error()));
    planning_request wanted;
    std::optional<double> removed, churn, growth;
    std::optional<bool> may_refuse;
    auto taken =
        all_of({take(request->size("capacity"), wanted.wanted.items), take(request->rate("fpr"), wanted.wanted.fpr),
                take(request->number("removed"), removed), take(request->number("churn"), churn),
                take(request->number("growth"), growth), take(request->truth("may_refuse"), may_refuse),
                take(request->rate("deletable"), wanted.deletable), take(request->size("negatives"), wanted.negatives),
                take(request->size("memory_bytes"), wanted.memory_bytes), request->nothing_else()});
    if (!taken) return fail(std::move(taken.error()));
    if (wanted.wanted.items == 0) {
        return fail(failure_reason::bad_parameter, "capacity is missing: the number of keys, at least 1");
    }
    if (removed || churn || growth || may_refuse) {
        wanted.lifetime = {removed.value_or(0), churn.value_or(0), growth.value_or(1), may_refuse.value_or(true)};
    }
    return wanted;
}

std::string why_dropped(const dropped_kind& dropped) {
    switch (dropped.why) {
    case obstacle::cannot_remove: return "cannot remove keys";
    case obstacle::loses_members: return "removals cause false negatives";
    case obstacle::may_refuse: return "may refuse keys that are added repeatedly or beyond its capacity";
    case obstacle::no_negatives: return "is for known negatives, and there are none";
    case obstacle::no_model: return "has no model for this workload";
    case obstacle::no_geometry: return dropped.sentence;
    case obstacle::rate_too_high: return "degrades: an FPR of " + rate_text(dropped.figure) + " at the end";
    case obstacle::stay_for_ever:
        return "degrades: only " + rate_text(dropped.figure) + " of the keys are removable at the end";
    case obstacle::worse_than_exact:
        return "needs " + bytes_text(dropped.bytes) + "; an exact set of the keys is smaller";
    case obstacle::too_large: return "needs " + bytes_text(dropped.bytes) + ", more than there is";
    }
    return {};
}

void write_candidate(json_writer& out, const planned_kind& planned) {
    out.open('{');
    out.member("kind", planned.kind->name);
    out.name("parameters").open('{');
    for (const parameter_text& one : planned.request.parameters) out.member(one.name, one.value);
    out.close('}');
    out.member("capacity", planned.request.items);
    out.member("made_for_fpr", planned.request.fpr);
    out.member("bytes", planned.bytes);
    out.member("first_bytes", planned.first_bytes);
    out.member("slow_bytes", planned.slow_bytes);
    out.member("exclusion_bytes", planned.guard_bytes);
    out.member("bits_per_key", 8 * static_cast<double>(planned.bytes) / static_cast<double>(planned.lived.items));
    out.member("fpr", planned.predicted.fpr);
    out.member("deletability", planned.predicted.deletability);
    out.member("hashes", planned.hashes);
    out.member("query_lines", planned.query_lines);
    out.member("cost", planned.cost);
    out.close('}');
}

result<std::string> plan_document(const char* text) {
    const auto wanted = planning_of(text);
    if (!wanted) return fail(wanted.error());
    const auto ranked = rank_kinds(*wanted);
    if (!ranked) return fail(ranked.error());
    json_writer out;
    out.open('{');
    out.name("candidates").open('[');
    for (const planned_kind& one : ranked->candidates) write_candidate(out, one);
    out.close(']');
    out.name("dropped").open('[');
    for (const dropped_kind& one : ranked->dropped) {
        out.open('{').member("kind", one.kind->name).member("why", why_dropped(one)).close('}');
    }
    out.close(']');
    std::optional<double> lowest;
    if (ranked->candidates.empty() && wanted->memory_bytes) {
        const auto instead = lowest_affordable_rate(*wanted);
        if (!instead) return fail(instead.error());
        if (*instead) lowest = (*instead)->fpr;
    }
    out.member("lowest_fpr", lowest);
    out.close('}');
    return out.text();
}

/// The filter that a model or a simulation is about, and the keys in it.
struct subject {
    build_request filter;
    std::uint64_t items = 0;
};

result<subject> subject_of(json_request& request) {
    subject made;
    std::optional<std::uint64_t> items;
    auto taken =
        all_of({take(request.words("kind"), made.filter.kind), take(request.size("capacity"), made.filter.items),
                take(request.rate("fpr"), made.filter.fpr), take(request.size("items"), items)});
    if (!taken) return fail(std::move(taken.error()));
    if (made.filter.kind.empty()) return fail(failure_reason::bad_parameter, "kind is missing");
    for (json_request::member& one : request.object("parameters")) {
        made.filter.parameters.push_back({std::move(one.name), std::move(one.value)});
    }
    if (!made.filter.items) made.filter.items = items;
    if (!items) items = made.filter.items;
    if (!items) return fail(failure_reason::bad_parameter, "items is missing: the number of keys");
    made.items = *items;
    return made;
}

result<std::string> model_document(const char* text) {
    auto request = json_request::parse(text);
    if (!request) return fail(std::move(request.error()));
    const auto about = subject_of(*request);
    if (!about) return fail(about.error());
    lifetime lived{.items = about->items};
    auto taken = all_of({take(request->number("removed"), lived.removed_share),
                         take(request->number("churn"), lived.churn_rounds),
                         take(request->number("negatives"), lived.negatives), request->nothing_else()});
    if (!taken) return fail(std::move(taken.error()));
    const auto found = predict(about->filter, lived);
    if (!found) return fail(found.error());
    json_writer out;
    out.open('{');
    out.member("kind", about->filter.kind);
    out.member("items", about->items);
    out.member("fpr", found->predicted.fpr);
    out.member("deletability", found->predicted.deletability);
    out.member("refusal", found->predicted.refusal);
    out.member("bytes", found->bytes);
    out.member("bits_per_key", 8 * static_cast<double>(found->bytes) / static_cast<double>(about->items));
    write_geometry(out, "parameters", found->geometry);
    out.close('}');
    return out.text();
}

void write_interval(json_writer& out, std::string_view name, const std::optional<estimate>& found) {
    out.name(name);
    if (!found) {
        out.null();
        return;
    }
    out.open('{').member("mean", found->mean).member("low", found->low).member("high", found->high).close('}');
}

void write_buckets(json_writer& out, const bucket_report& buckets) {
    out.list("bucket_load_at_least", buckets.load_at_least);
    out.list("fluid_limit", buckets.fluid_limit);
    out.member("overflow_trials", buckets.overflow_trials);
    out.name("potential_overflows").open('{');
    out.member("mean", buckets.mean_potential_overflows);
    out.member("min", buckets.fewest_potential_overflows);
    out.member("max", buckets.most_potential_overflows);
    out.close('}');
    out.member("max_counter", buckets.largest_count);
}

// The members are those of `everbloom simulate --json`; a test compares the two documents.
std::string report_document(const any_filter& simulated, const simulation_request& wanted,
                            const simulation_report& found) {
    json_writer out;
    out.open('{');
    out.member("kind", simulated.kind());
    out.member("bits", simulated.structure_bits());
    out.member("cells", simulated.cells());
    out.member("hashes", simulated.geometry("hashes"));
    out.member("items", found.plan.items);
    out.member("inserted", found.plan.items + found.plan.removed + found.plan.churn_steps);
    out.member("removed", wanted.removed_share);
    out.member("trials", wanted.trials);
    out.member("queries", wanted.queries);
    out.member("seed", wanted.seed);
    write_interval(out, "fpr", found.fpr);
    out.member("fpr_model", found.model.fpr);
    write_interval(out, "deletability", found.deletability);
    out.member("deletability_model", found.model.deletability);
    out.member("false_negatives", found.false_negatives);
    out.member("fpr_current", found.fpr_current);
    out.member("churn_steps", found.plan.churn_steps);
    write_tally(out, "insert_outcomes", found.inserts);
    if (simulated.can(capability::erase)) {
        write_tally(out, "erase_outcomes", found.erases);
    } else {
        out.name("erase_outcomes").null();
    }
    write_geometry(out, "geometry", simulated.geometry());
    if (found.buckets) write_buckets(out, *found.buckets);
    if (found.growth) {
        out.member("filters", found.growth->filters);
        out.member("expansions", found.growth->expansions);
        out.member("fast_bits", found.growth->fast_bits);
        out.member("slow_bits", found.growth->slow_bits);
    }
    if (found.known_negatives) {
        out.member("negatives", found.known_negatives->negatives);
        write_interval(out, "false_positives", found.known_negatives->false_positives);
        out.member("false_positives_model", found.known_negatives->left_by_first_fit);
        out.member("bloom_same_bits_false_positives", found.known_negatives->bloom_false_positives);
    }
    out.close('}');
    return out.text();
}

result<std::string> simulation_document(const char* text) {
    auto request = json_request::parse(text);
    if (!request) return fail(std::move(request.error()));
    const auto about = subject_of(*request);
    if (!about) return fail(about.error());
    simulation_request wanted;
    wanted.items = about->items;
    std::optional<std::uint64_t> queries, threads;
    auto taken = all_of(
        {take(request->number("removed"), wanted.removed_share), take(request->size("churn_steps"), wanted.churn_steps),
         take(request->size("queries"), queries), take(request->size("trials"), wanted.trials),
         take(request->size("seed"), wanted.seed), take(request->size("threads"), threads), request->nothing_else()});
    if (!taken) return fail(std::move(taken.error()));
    constexpr std::uint64_t most_threads = 1024;
    if (threads && (*threads == 0 || *threads > most_threads)) {
        return fail(failure_reason::bad_parameter, "threads must lie between 1 and 1024");
    }
    wanted.threads = static_cast<unsigned>(threads.value_or(1));
    // As the command line does: at most 1e8 queries over all trials, unless a number is given.
    constexpr std::uint64_t queries_in_all = 100'000'000;
    if (!queries && wanted.trials > 0) {
        queries = std::clamp<std::uint64_t>(queries_in_all / wanted.trials, 1000, wanted.queries);
    }
    wanted.queries = queries.value_or(wanted.queries);
    const auto empty = build(as_in_paper(about->filter));
    if (!empty) return fail(empty.error());
    if (auto affordable = check_affordable(*empty, wanted); !affordable) return fail(std::move(affordable.error()));
    const auto found = simulate(*empty, wanted);
    if (!found) return fail(found.error());
    return report_document(*empty, wanted, *found);
}

result<std::int64_t> answer(const result<std::string>& document, char* buffer, std::size_t size) {
    if (!document) return fail(document.error());
    return hand_out(*document, buffer, size);
}

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

int64_t eb_plan(const char* request, char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&] { return answer(plan_document(request), buffer, size); });
}

int64_t eb_model(const char* request, char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&] { return answer(model_document(request), buffer, size); });
}

int64_t eb_simulate(const char* request, char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (size < EB_SIMULATION_BYTES) {
            return fail(
                failure_reason::bad_parameter,
                "the buffer is too small; it needs EB_SIMULATION_BYTES, 65536, because no simulation runs twice");
        }
        if (buffer == nullptr) return null_pointer("buffer");
        return answer(simulation_document(request), buffer, size);
    });
}
