#include "kind_entry.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/resizing.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/geometry_text.hpp>

#include <kinds/quotient.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace everbloom {
namespace {

/// The request together with what is known of the filter.
struct size_target {
    std::uint64_t items = 0;
    std::optional<double> fpr;
    std::optional<std::uint64_t> most_bytes;
    bool fpr_is_given = false; // the FPR is from the request, not the target FPR of the filter
};

/// The highest acceptable probability that an insertion is refused.
constexpr double most_refusals = 1e-9;

bool has_room(const any_filter& filter, const size_target& wanted) {
    return filter.predict({.items = wanted.items}).refusal.value_or(0) <= most_refusals;
}

bool satisfies(const any_filter& filter, const size_target& wanted) {
    if (wanted.most_bytes && filter.payload_bytes() > *wanted.most_bytes) return false;
    return has_room(filter, wanted) &&
           (!wanted.fpr || filter.predict({.items = wanted.items}).fpr.value_or(0) <= *wanted.fpr);
}

/// Cells that are all occupied give no estimate: more than any capacity.
std::uint64_t keys_in(const measurement& now) {
    constexpr double most = 0x1p63;
    return now.items < most ? static_cast<std::uint64_t>(std::llround(std::max(now.items, 0.0)))
                            : std::uint64_t{1} << 63;
}

result<size_target> target_of(const filter_file& file, const measurement& now, const resize_request& request) {
    // Without a capacity there is no target to be stored, and an FPR of 1 accepts any.
    const double highest = file.target.items == 0 ? 1 : std::nextafter(1.0, 0.0);
    if (request.fpr && !(*request.fpr > 0 && *request.fpr <= highest)) {
        return fail(failure_reason::bad_parameter, "the target FPR must be between 0 and 1");
    }
    size_target wanted;
    wanted.items = keys_in(now);
    if (request.capacity) {
        if (*request.capacity < wanted.items) {
            return fail(failure_reason::bad_parameter, "a capacity of " + counted(*request.capacity, "key") +
                                                           " is too small; the filter holds " +
                                                           estimated_keys(now.items));
        }
        if (*request.capacity > max_structure_bits) { // a bit for each; finding that out step by step takes very long
            return fail(failure_reason::bad_parameter, "a capacity of " + counted(*request.capacity, "key") +
                                                           " is more than any filter can hold; ask for fewer");
        }
        wanted.items = *request.capacity;
    }
    wanted.most_bytes = request.bytes;
    if (file.target.items != 0) wanted.fpr = file.target.fpr;
    if (request.fpr) {
        wanted.fpr = request.fpr;
        wanted.fpr_is_given = true;
    }
    wanted.items = std::max<std::uint64_t>(wanted.items, 1);
    return wanted;
}

/// Steps to the new size: positive to grow, negative to shrink.
struct step_plan {
    int steps = 0;
    any_filter end; // an empty filter of the new geometry
};

failure impossible(const any_filter& filter, const size_target& wanted, const std::string& why) {
    std::string text =
        with_article(filter.kind()) + " filter of this geometry cannot be resized for " + counted(wanted.items, "key");
    if (wanted.fpr) text += " at " + rate_text(*wanted.fpr) + " FPR";
    if (wanted.most_bytes) text += " in " + bytes_text(*wanted.most_bytes);
    return {failure_reason::no_room, text + why};
}

failure too_often_wrong(const any_filter& filter, const size_target& wanted, double fpr, std::string_view fpr_option) {
    return impossible(filter, wanted,
                      ": the FPR would be " + rate_text(fpr) + "; accept it with " + std::string(fpr_option) +
                          ", or create a new filter from the keys");
}

using size_change = result<void> (any_filter::*)();

/// An empty filter, one step larger or smaller.
result<any_filter> next_size(const any_filter& from, size_change change) {
    auto next = build_like(from);
    if (!next) return next;
    if (auto done = ((*next).*change)(); !done) return fail(std::move(done.error()));
    return next;
}

/// The largest size within the limit.
result<step_plan> steps_within(std::uint64_t most_bytes, step_plan plan) {
    while (plan.end.payload_bytes() > most_bytes) {
        auto next = next_size(plan.end, &any_filter::shrink);
        if (!next) return fail(std::move(next.error()));
        plan = {plan.steps - 1, std::move(*next)};
    }
    while (plan.steps >= 0) {
        auto next = next_size(plan.end, &any_filter::grow);
        if (!next || next->payload_bytes() > most_bytes) break;
        plan = {plan.steps + 1, std::move(*next)};
    }
    return plan;
}

/// The smallest size for the target.
result<step_plan> steps_to(const size_target& wanted, step_plan plan) {
    while (!has_room(plan.end, wanted)) {
        auto next = next_size(plan.end, &any_filter::grow);
        if (!next) return fail(std::move(next.error()));
        plan = {plan.steps + 1, std::move(*next)};
    }
    while (plan.steps <= 0) {
        auto next = next_size(plan.end, &any_filter::shrink);
        if (!next || !satisfies(*next, wanted)) break;
        plan = {plan.steps - 1, std::move(*next)};
    }
    return plan;
}

result<step_plan> find_steps(const any_filter& filter, const size_target& wanted, std::string_view fpr_option) {
    auto empty = build_like(filter);
    if (!empty) return fail(std::move(empty.error()));
    step_plan start{0, std::move(*empty)};
    auto plan =
        wanted.most_bytes ? steps_within(*wanted.most_bytes, std::move(start)) : steps_to(wanted, std::move(start));
    if (!plan) return fail(impossible(filter, wanted, ": " + plan.error().sentence));
    if (satisfies(plan->end, wanted)) return plan;
    if (!has_room(plan->end, wanted)) return fail(impossible(filter, wanted, ": it would refuse keys"));
    return fail(
        too_often_wrong(filter, wanted, plan->end.predict({.items = wanted.items}).fpr.value_or(0), fpr_option));
}

/// The geometry of a filter that grows by itself, on paper: with this many keys in it.
parameter_values grown_geometry(const kind_entry& entry, const any_filter& filter, std::uint64_t items) {
    parameter_values values;
    for (const geometry_value& one : filter.geometry()) values.push_back(one.value);
    return entry.grown(values, {.items = items});
}

std::uint64_t bytes_of(const kind_entry& entry, const parameter_values& values) {
    std::uint64_t lines = 0;
    for (const std::uint64_t one : entry.section_lines(values)) lines += one;
    return lines * line_bytes;
}

/// The geometry for the target, with as many keys as its bytes hold if they are limited.
result<parameter_values> grown_within(const kind_entry& entry, const any_filter& filter, size_target& wanted,
                                      std::string_view fpr_option) {
    const auto rate = [&](std::uint64_t items) {
        return entry.predict(grown_geometry(entry, filter, items), {.items = items}).fpr.value_or(0);
    };
    // A file has a header and checksums besides.
    const auto file_bytes = [&](std::uint64_t cells) { return cells + cells / 1024 + 512; };
    const auto has_bytes = [&](std::uint64_t items) {
        return !wanted.most_bytes ||
               file_bytes(bytes_of(entry, grown_geometry(entry, filter, items))) <= *wanted.most_bytes;
    };
    const auto is_kept = [&](std::uint64_t items) { return !wanted.fpr || rate(items) <= *wanted.fpr; };
    if (!has_bytes(wanted.items)) return fail(impossible(filter, wanted, ": allow more bytes, or remove some keys"));
    if (!is_kept(wanted.items)) {
        return fail(too_often_wrong(filter, wanted, rate(wanted.items), fpr_option));
    }
    if (wanted.most_bytes) {
        std::uint64_t too_many = std::max(*wanted.most_bytes, wanted.items + 1); // a key takes more than a byte
        while (wanted.items + 1 < too_many) {
            const std::uint64_t more = wanted.items + (too_many - wanted.items) / 2;
            (has_bytes(more) && is_kept(more) ? wanted.items : too_many) = more;
        }
    }
    return grown_geometry(entry, filter, wanted.items);
}

/// A request for a filter like this one, for the target: its density is kept unless the target has an FPR.
build_request resized_like(const any_filter& filter, const size_target& wanted) {
    build_request request{std::string(filter.kind()), wanted.items, wanted.fpr, {}};
    const auto& kept = find_kind(filter.kind())->kept_by_resize;
    for (const geometry_value& one : filter.geometry()) {
        const bool is_kept = std::find(kept.begin(), kept.end(), one.name) != kept.end();
        const bool is_density = !wanted.fpr && one.name != "initial_bits";
        if (one.role == field_role::state || !(is_kept || is_density)) continue;
        request.parameters.push_back({std::string(one.name), value_text(one)});
    }
    return request;
}

/// Does a filter for this target fit into its bytes? Out of memory is a failure.
result<bool> fits(const any_filter& filter, const size_target& wanted) {
    const auto bytes = bytes_needed(resized_like(filter, wanted));
    if (!bytes && bytes.error().reason == failure_reason::out_of_memory) return fail(bytes.error());
    // Overflow pages, for full pages of stored hashes, come on top.
    constexpr double overflow_share = 0.03;
    return bytes && static_cast<double>(*bytes) * (1 + overflow_share) <= static_cast<double>(*wanted.most_bytes);
}

/// The target with as many keys as fit, at its FPR; it fits with the keys it has.
result<size_target> with_most_keys(const any_filter& filter, size_target wanted) {
    size_target more = wanted;
    std::uint64_t too_many = *wanted.most_bytes; // kinds that store hashes need more than a byte per key
    while (wanted.items + 1 < too_many) {
        // Doubling as long as that fits, then bisection.
        more.items = std::min(2 * wanted.items, wanted.items + (too_many - wanted.items) / 2);
        const auto fitting = fits(filter, more);
        if (!fitting) return fail(fitting.error());
        (*fitting ? wanted.items : too_many) = more.items;
    }
    return wanted;
}

/// The target with the lowest FPR at which its keys fit.
result<size_target> with_lowest_rate(const any_filter& filter, size_target wanted) {
    constexpr double highest_rate = 0.5;
    constexpr double lowest_rate = 1e-8;
    std::optional<double> best;
    for (double rate = highest_rate; rate > lowest_rate; rate *= 0.9) {
        wanted.fpr = rate;
        const auto fitting = fits(filter, wanted);
        if (!fitting) return fail(fitting.error());
        if (!*fitting) break;
        best = rate;
    }
    if (!best) return fail(impossible(filter, wanted, ": not even at an FPR of 50 %; allow more bytes"));
    wanted.fpr = best;
    return wanted;
}

/// For a limit of bytes: the largest capacity that fits. If the present keys do not fit at the target FPR, a higher FPR is chosen.
result<size_target> within_bytes(const any_filter& filter, const size_target& wanted) {
    const auto fitting = fits(filter, wanted);
    if (!fitting) return fail(fitting.error());
    if (*fitting) return with_most_keys(filter, wanted);
    if (wanted.fpr_is_given) return fail(impossible(filter, wanted, ": allow more bytes, or a higher FPR"));
    return with_lowest_rate(filter, wanted);
}

/// The capacity after the change: the new number of keys at the new target FPR.
capacity_target capacity_after(capacity_rule rule, const capacity_target& before, const any_filter& filter,
                               const size_target& wanted) {
    if (before.items == 0) return before;
    const bool keeps_items =
        rule == capacity_rule::keep_if_possible && before.items > wanted.items &&
        filter.predict({.items = before.items}).fpr.value_or(0) <= wanted.fpr.value_or(before.fpr) &&
        has_room(filter, {.items = before.items, .fpr = {}, .most_bytes = {}});
    return {keeps_items ? before.items : wanted.items, wanted.fpr.value_or(before.fpr)};
}

result<resize_plan> plan_for(const filter_file& file, size_target wanted, std::string_view fpr_option) {
    const any_filter& filter = file.filter();
    resize_plan plan;
    if (filter.can(capability::resize)) {
        if (wanted.most_bytes) {
            const auto chosen = within_bytes(filter, wanted);
            if (!chosen) return fail(chosen.error());
            wanted = *chosen;
        }
        auto goal = build(resized_like(filter, wanted));
        if (!goal) return fail(std::move(goal.error()));
        plan.resized = std::move(*goal);
    } else if (filter.kind() == kinds::quotient::filter::kind_name) {
        const kind_entry& entry = *find_entry(filter.kind_id());
        const auto grown = grown_within(entry, filter, wanted, fpr_option);
        if (!grown) return fail(grown.error());
        auto goal = entry.make(*grown);
        if (!goal) return fail(std::move(goal.error()));
        plan.resized = std::move(*goal);
        plan.lines = entry.section_lines(*grown).front();
        plan.is_limited = wanted.most_bytes.has_value();
    } else {
        auto found = find_steps(filter, wanted, fpr_option);
        if (!found) return fail(std::move(found.error()));
        plan.resized = std::move(found->end);
        plan.steps = found->steps;
    }
    plan.items = wanted.items;
    plan.fpr = wanted.fpr;
    return plan;
}

result<void> take_steps(any_filter& filter, int steps) {
    for (int i = 0; i < std::abs(steps); ++i) {
        if (auto done = steps > 0 ? filter.grow() : filter.shrink(); !done) return done;
    }
    return {};
}

/// Several steps are taken on a copy: one that fails would leave the filter between two sizes.
result<void> take_all_steps(filter_file& file, int steps) {
    if (std::abs(steps) <= 1) return take_steps(file.filter(), steps);
    auto copy = read_filter(write_filter(file));
    if (!copy) return fail(std::move(copy.error()));
    if (auto done = take_steps(copy->filter(), steps); !done) return done;
    file.handle = std::move(copy->handle);
    return {};
}

/// On a copy, too. Keys that cannot be moved closer together end the way to a smaller size, unless that is a limit.
result<void> approach_lines(filter_file& file, const resize_plan& plan) {
    auto copy = file.filter().clone();
    if (!copy) return fail(std::move(copy.error()));
    const auto reached = copy->as<kinds::quotient>()->approach(plan.lines, std::numeric_limits<std::uint64_t>::max());
    if (!reached && (plan.is_limited || reached.error().reason != failure_reason::no_room)) {
        return fail(reached.error());
    }
    file.filter() = std::move(*copy);
    return {};
}

result<void> carry_out(filter_file& file, const resize_plan& plan) {
    if (plan.lines != 0) return approach_lines(file, plan);
    return file.filter().can(capability::resize) ? file.filter().resize(plan.resized)
                                                 : take_all_steps(file, plan.steps);
}

} // namespace

result<resize_plan> plan_resize(const filter_file& file, const measurement& now, const resize_request& wanted,
                                capacity_rule rule, std::string_view fpr_option) {
    return or_out_of_memory([&]() -> result<resize_plan> {
        const any_filter& filter = file.filter();
        if (!filter.can(capability::grow) && !filter.can(capability::shrink)) {
            return fail(failure_reason::unsupported, with_article(filter.kind()) + " filter cannot be resized");
        }
        const auto target = target_of(file, now, wanted);
        if (!target) return fail(target.error());
        auto plan = plan_for(file, *target, fpr_option);
        if (!plan) return plan;
        // Within a limit of bytes the plan may have another FPR, or more keys.
        size_target reached = *target;
        reached.items = plan->items;
        reached.fpr = plan->fpr;
        plan->target = capacity_after(rule, file.target, plan->resized, reached);
        return plan;
    });
}

result<growth_plan> plan_growth(const filter_file& file, const measurement& now, std::uint64_t capacity) {
    return or_out_of_memory([&]() -> result<growth_plan> {
        const any_filter& filter = file.filter();
        const kind_entry* const entry = find_entry(filter.kind_id());
        if (entry == nullptr || !entry->info.grows_by_itself) {
            return fail(failure_reason::unsupported, with_article(filter.kind()) + " filter does not grow by itself");
        }
        auto target = target_of(file, now, {.capacity = capacity});
        if (!target) return fail(target.error());
        const auto values = grown_within(*entry, filter, *target, usual_fpr_option);
        if (!values) return fail(values.error());
        return growth_plan{entry->section_lines(*values).front(),
                           capacity_after(capacity_rule::present_keys, file.target, filter, *target)};
    });
}

result<void> apply_resize(filter_file& file, const resize_plan& plan) {
    return or_out_of_memory([&]() -> result<void> {
        auto done = carry_out(file, plan);
        if (done) file.target = plan.target;
        return done;
    });
}

result<void> resize_filter(filter_file& file, const resize_request& wanted) {
    if (!wanted.capacity && !wanted.fpr && !wanted.bytes) {
        return fail(failure_reason::bad_parameter, "no size given; give a capacity, a target FPR or a number of bytes");
    }
    const auto plan = plan_resize(file, file.filter().measure(), wanted, capacity_rule::keep_if_possible);
    if (!plan) return fail(plan.error());
    return apply_resize(file, *plan);
}

} // namespace everbloom
