// resize: makes a filter larger or smaller without its keys, for kinds that support it.
//
// Kinds that can be resized freely get the geometry that the planner chooses for the target. Other kinds change their size in steps: the
// number of steps is found with an empty filter of the same geometry, then the real one takes the same steps. Nothing is written unless
// all of them succeed and the target FPR still holds.
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/kind_names.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

namespace everbloom::cli {
namespace {

struct resize_flags {
    std::string path;
    std::string capacity;
    std::string fpr;
    std::string bytes;
    bool fit = false;
    bool dry_run = false;
    summary_flags output;
};

/// The requirements on the new size.
struct size_target {
    std::uint64_t items = 0;
    std::optional<double> fpr;
    std::optional<std::uint64_t> most_bytes;
    bool has_fpr_flag = false; // the FPR is from --fpr, not the target FPR of the filter
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

result<size_target> target_of(const resize_flags& flags, const filter_file& file, const measurement& now) {
    size_target wanted;
    wanted.items = static_cast<std::uint64_t>(std::llround(now.items));
    if (!flags.capacity.empty()) {
        const auto items = size_of_flag("--capacity", flags.capacity);
        if (!items) return fail(items.error());
        if (*items < wanted.items) {
            return fail(failure_reason::bad_parameter, fmt::format("--capacity: '{}' is too small; the filter holds {}",
                                                                   flags.capacity, estimated_keys(now.items)));
        }
        wanted.items = *items;
    }
    if (!flags.bytes.empty()) {
        const auto bytes = size_of_flag("--bytes", flags.bytes);
        if (!bytes) return fail(bytes.error());
        wanted.most_bytes = *bytes;
    }
    if (file.target.items != 0) wanted.fpr = file.target.fpr;
    if (!flags.fpr.empty()) {
        const auto fpr = rate_of_flag("--fpr", flags.fpr);
        if (!fpr) return fail(fpr.error());
        wanted.fpr = *fpr;
        wanted.has_fpr_flag = true;
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
    std::string text = fmt::format("{} filter of this geometry cannot be resized for {}", with_article(filter.kind()),
                                   counted(wanted.items, "key"));
    if (wanted.fpr) text += fmt::format(" at {} FPR", rate_text(*wanted.fpr));
    if (wanted.most_bytes) text += fmt::format(" in {}", bytes_text(*wanted.most_bytes));
    return {failure_reason::no_room, text + why};
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

result<step_plan> find_steps(const any_filter& filter, const size_target& wanted) {
    auto empty = build_like(filter);
    if (!empty) return fail(std::move(empty.error()));
    step_plan start{0, std::move(*empty)};
    auto plan =
        wanted.most_bytes ? steps_within(*wanted.most_bytes, std::move(start)) : steps_to(wanted, std::move(start));
    if (!plan) return fail(impossible(filter, wanted, ": " + plan.error().sentence));
    if (satisfies(plan->end, wanted)) return plan;
    if (!has_room(plan->end, wanted)) return fail(impossible(filter, wanted, ": it would refuse keys"));
    const double rate = plan->end.predict({.items = wanted.items}).fpr.value_or(0);
    return fail(
        impossible(filter, wanted,
                   fmt::format(": the FPR would be {}; accept it with --fpr, or create a new filter from the keys",
                               rate_text(rate))));
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
    if (wanted.has_fpr_flag) return fail(impossible(filter, wanted, ": allow more bytes, or a higher FPR"));
    return with_lowest_rate(filter, wanted);
}

/// The capacity after the change: the new number of keys at the new target FPR.
capacity_target capacity_after(const resize_flags& flags, const capacity_target& before, const any_filter& filter,
                               const size_target& wanted) {
    if (before.items == 0) return before;
    const bool keeps_items =
        !flags.fit && before.items > wanted.items &&
        filter.predict({.items = before.items}).fpr.value_or(0) <= wanted.fpr.value_or(before.fpr) &&
        has_room(filter, {.items = before.items, .fpr = {}, .most_bytes = {}});
    return {keeps_items ? before.items : wanted.items, wanted.fpr.value_or(before.fpr)};
}

/// Both functions return an empty filter of the new geometry; `apply` also changes the real one.
enum class run_mode { apply, dry_run };

result<any_filter> resize_freely(any_filter& filter, size_target& wanted, run_mode mode) {
    if (wanted.most_bytes) {
        const auto chosen = within_bytes(filter, wanted);
        if (!chosen) return fail(chosen.error());
        wanted = *chosen;
    }
    auto goal = build(resized_like(filter, wanted));
    if (!goal || mode == run_mode::dry_run) return goal;
    if (auto done = filter.resize(*goal); !done) return fail(std::move(done.error()));
    return goal;
}

result<any_filter> resize_in_steps(any_filter& filter, const size_target& wanted, run_mode mode) {
    auto plan = find_steps(filter, wanted);
    if (!plan) return fail(std::move(plan.error()));
    for (int i = 0; mode == run_mode::apply && i < std::abs(plan->steps); ++i) {
        auto done = plan->steps > 0 ? filter.grow() : filter.shrink();
        if (!done) return fail(std::move(done.error()));
    }
    return std::move(plan->end);
}

void report(const resize_flags& flags, const filter_file& file, std::uint64_t old_bytes, const any_filter& now,
            const size_target& wanted) {
    const prediction said = now.predict({.items = wanted.items});
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", now.kind()},
                        {"dry_run", flags.dry_run},
                        {"bytes_before", old_bytes},
                        {"bytes", now.payload_bytes()},
                        {"items", wanted.items},
                        {"fpr", said.fpr.value_or(0)},
                        {"geometry", to_json(now.geometry())},
                        {"agreed", to_json(file.target)}});
    } else if (flags.output.wants_text()) {
        const std::string size = size_text(now.payload_bytes(), static_cast<double>(wanted.items));
        fmt::print("{}: {}{}{}, predicted FPR {} with {}\n", flags.path, flags.dry_run ? "would be resized: " : "",
                   now.payload_bytes() == old_bytes ? "stays at " : bytes_text(old_bytes) + " -> ", size,
                   rate_text(said.fpr.value_or(0)), counted(wanted.items, "key"));
    }
}

result<int> run_resize(const resize_flags& flags) {
    if (flags.capacity.empty() && flags.bytes.empty() && flags.fpr.empty() && !flags.fit) {
        return fail(failure_reason::bad_parameter,
                    "no size given; use --capacity N, --bytes B, --fpr RATE or --fit (the smallest size for its keys)");
    }
    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    any_filter& filter = update->filter();
    if (!filter.can(capability::grow) && !filter.can(capability::shrink)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} filter cannot be resized; kinds that can: {}", flags.path,
                                with_article(filter.kind()), names_of_kinds_that_can(capability::grow)));
    }
    const measurement before = filter.measure();
    auto wanted = target_of(flags, update->file(), before);
    if (!wanted) return fail(wanted.error());
    const std::uint64_t old_bytes = filter.payload_bytes();
    const run_mode mode = flags.dry_run ? run_mode::dry_run : run_mode::apply;
    auto goal =
        filter.can(capability::resize) ? resize_freely(filter, *wanted, mode) : resize_in_steps(filter, *wanted, mode);
    if (!goal) return fail(in(flags.path, std::move(goal.error())));
    const any_filter& now = flags.dry_run ? *goal : filter;
    update->file().target = capacity_after(flags, update->file().target, now, *wanted);
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    if (!flags.dry_run) {
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    report(flags, update->file(), old_bytes, now, *wanted);
    return exit_done;
}

} // namespace

void declare_resize(command_line& line) {
    auto flags = std::make_shared<resize_flags>();
    command_flags command = line.add("resize", "Resize a filter, without its keys",
                                     "everbloom create --kind dleft --capacity 1000 --fpr 0.1% names.eb names.txt\n"
                                     "everbloom resize --capacity 2000 --fpr 0.5% names.eb",
                                     [flags] { return run_resize(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    command.add_option("--capacity", flags->capacity, "resize for N keys")->alias("--items")->type_name("N");
    command.add_option("--fpr", flags->fpr, "target FPR (default: the one it has)")->type_name("RATE");
    command
        .add_option("--bytes", flags->bytes,
                    "resize to at most B bytes: the largest capacity that fits, at the same FPR")
        ->type_name("B");
    command.add_flag("--fit", flags->fit, "resize to the smallest size for the keys in it");
    command.add_flag("--dry-run", flags->dry_run, "print what would be done, change nothing");
    flags->output.declare(command);
}

} // namespace everbloom::cli
