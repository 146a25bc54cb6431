// resize: makes a filter larger or smaller without its keys, for those kinds that can.
//
// Kinds that take on any geometry get the one that the planner makes for the wish. For the others:
// A filter changes its size in steps of its kind. Which step is the right one is found out on an empty filter of the same geometry;
// then the real one takes the same steps. Nothing is written unless all of them succeed and the rate that was agreed still holds.
#include "commands/commands.hpp"
#include "filters/agreed_rate.hpp"
#include "filters/filter_update.hpp"
#include "filters/kind_names.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

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
    std::string items;
    std::string fpr;
    std::string bytes;
    bool fit = false;
    bool dry_run = false;
    summary_flags output;
};

/// What the new size has to satisfy.
struct wish {
    std::uint64_t items = 0;
    std::optional<double> fpr;
    std::optional<std::uint64_t> most_bytes;
    bool rate_is_asked = false; // not only the one that was agreed
};

/// An insertion may be refused with this chance at most.
constexpr double most_refusals = 1e-9;

bool has_room(const any_filter& filter, const wish& wanted) {
    return filter.predict({.items = wanted.items}).refusal.value_or(0) <= most_refusals;
}

bool satisfies(const any_filter& filter, const wish& wanted) {
    if (wanted.most_bytes && filter.payload_bytes() > *wanted.most_bytes) return false;
    return has_room(filter, wanted) &&
           (!wanted.fpr || filter.predict({.items = wanted.items}).fpr.value_or(0) <= *wanted.fpr);
}

result<wish> wish_of(const resize_flags& flags, const filter_file& file, const measurement& now) {
    wish wanted;
    wanted.items = static_cast<std::uint64_t>(std::llround(now.items));
    if (!flags.items.empty()) {
        const auto items = size_of_flag("--items", flags.items);
        if (!items) return fail(items.error());
        if (*items < wanted.items) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("--items: '{}' is too few; the filter holds about {} keys", flags.items, wanted.items));
        }
        wanted.items = *items;
    }
    if (!flags.bytes.empty()) {
        const auto bytes = size_of_flag("--bytes", flags.bytes);
        if (!bytes) return fail(bytes.error());
        wanted.most_bytes = *bytes;
    }
    if (file.agreed.items != 0) wanted.fpr = file.agreed.fpr;
    if (!flags.fpr.empty()) {
        const auto fpr = rate_of_flag("--fpr", flags.fpr);
        if (!fpr) return fail(fpr.error());
        wanted.fpr = *fpr;
        wanted.rate_is_asked = true;
    }
    wanted.items = std::max<std::uint64_t>(wanted.items, 1);
    return wanted;
}

/// Steps up are positive, steps down negative.
struct journey {
    int steps = 0;
    any_filter end; // an empty filter of the new geometry
};

failure impossible(const any_filter& filter, const wish& wanted, const std::string& why) {
    std::string text = fmt::format("a {} filter of this geometry cannot be resized for {}", filter.kind(),
                                   counted(wanted.items, "item"));
    if (wanted.fpr) text += fmt::format(" at {} false positives", rate_text(*wanted.fpr));
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

/// As large as the limit allows.
result<journey> way_within(std::uint64_t most_bytes, journey way) {
    while (way.end.payload_bytes() > most_bytes) {
        auto next = next_size(way.end, &any_filter::shrink);
        if (!next) return fail(std::move(next.error()));
        way = {way.steps - 1, std::move(*next)};
    }
    while (way.steps >= 0) {
        auto next = next_size(way.end, &any_filter::grow);
        if (!next || next->payload_bytes() > most_bytes) break;
        way = {way.steps + 1, std::move(*next)};
    }
    return way;
}

/// As small as the wish allows.
result<journey> way_to(const wish& wanted, journey way) {
    while (!has_room(way.end, wanted)) {
        auto next = next_size(way.end, &any_filter::grow);
        if (!next) return fail(std::move(next.error()));
        way = {way.steps + 1, std::move(*next)};
    }
    while (way.steps <= 0) {
        auto next = next_size(way.end, &any_filter::shrink);
        if (!next || !satisfies(*next, wanted)) break;
        way = {way.steps - 1, std::move(*next)};
    }
    return way;
}

result<journey> find_way(const any_filter& filter, const wish& wanted) {
    auto empty = build_like(filter);
    if (!empty) return fail(std::move(empty.error()));
    journey start{0, std::move(*empty)};
    auto way = wanted.most_bytes ? way_within(*wanted.most_bytes, std::move(start)) : way_to(wanted, std::move(start));
    if (!way) return fail(impossible(filter, wanted, ": " + way.error().sentence));
    if (satisfies(way->end, wanted)) return way;
    if (!has_room(way->end, wanted)) return fail(impossible(filter, wanted, ": the keys would not find room"));
    const double rate = way->end.predict({.items = wanted.items}).fpr.value_or(0);
    return fail(
        impossible(filter, wanted,
                   fmt::format(": the rate would be {}; accept it with --fpr, or make a new filter from the keys",
                               rate_text(rate))));
}

/// A request for a filter like this one, for the wish: its density is kept unless the wish says a rate.
build_request reshaped_like(const any_filter& filter, const wish& wanted) {
    build_request request{std::string(filter.kind()), wanted.items, wanted.fpr, {}};
    const auto& kept = find_kind(filter.kind())->kept_by_reshape;
    for (const geometry_value& one : filter.geometry()) {
        const bool is_kept = std::find(kept.begin(), kept.end(), one.name) != kept.end();
        const bool is_density = !wanted.fpr && one.name != "initial_bits";
        if (one.role == field_role::state || !(is_kept || is_density)) continue;
        request.parameters.push_back({std::string(one.name), value_text(one)});
    }
    return request;
}

/// Does a filter for this wish fit into its bytes? Out of memory is no answer.
result<bool> fits(const any_filter& filter, const wish& wanted) {
    const auto bytes = bytes_needed(reshaped_like(filter, wanted));
    if (!bytes && bytes.error().reason == failure_reason::out_of_memory) return fail(bytes.error());
    // Spare pages, which a full page of records needs now and then, come on top.
    constexpr double spare_share = 0.03;
    return bytes && static_cast<double>(*bytes) * (1 + spare_share) <= static_cast<double>(*wanted.most_bytes);
}

/// The wish for as many items as fit, at the rate it has; it fits for those it has.
result<wish> with_most_items(const any_filter& filter, wish wanted) {
    wish more = wanted;
    std::uint64_t too_many = *wanted.most_bytes; // a key takes more than a byte in kinds that keep its hash
    while (wanted.items + 1 < too_many) {
        // Twice as many as long as that fits, then halfway between what fits and what does not.
        more.items = std::min(2 * wanted.items, wanted.items + (too_many - wanted.items) / 2);
        const auto fitting = fits(filter, more);
        if (!fitting) return fail(fitting.error());
        (*fitting ? wanted.items : too_many) = more.items;
    }
    return wanted;
}

/// The wish at the lowest rate at which its items fit.
result<wish> with_lowest_rate(const any_filter& filter, wish wanted) {
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
    if (!best) return fail(impossible(filter, wanted, ": not even at a rate of one half; allow more bytes"));
    wanted.fpr = best;
    return wanted;
}

/// What a limit of bytes means: room for as many keys as it allows. If those there are do not fit at their rate, the rate gives way.
result<wish> within_bytes(const any_filter& filter, const wish& wanted) {
    const auto fitting = fits(filter, wanted);
    if (!fitting) return fail(fitting.error());
    if (*fitting) return with_most_items(filter, wanted);
    if (wanted.rate_is_asked) return fail(impossible(filter, wanted, ": allow more bytes, or a higher rate"));
    return with_lowest_rate(filter, wanted);
}

/// What may be promised from now on: the new number of items at the rate that was asked for.
agreement promise_after(const resize_flags& flags, const agreement& before, const any_filter& filter,
                        const wish& wanted) {
    if (before.items == 0) return before;
    const bool keeps_items =
        !flags.fit && before.items > wanted.items &&
        filter.predict({.items = before.items}).fpr.value_or(0) <= wanted.fpr.value_or(before.fpr) &&
        has_room(filter, {.items = before.items, .fpr = {}, .most_bytes = {}});
    return {keeps_items ? before.items : wanted.items, wanted.fpr.value_or(before.fpr)};
}

/// Both return an empty filter of the new geometry, and change the real one unless it is only a question.
enum class earnest { changes, asks };

result<any_filter> reshape(any_filter& filter, wish& wanted, earnest meant) {
    if (wanted.most_bytes) {
        const auto chosen = within_bytes(filter, wanted);
        if (!chosen) return fail(chosen.error());
        wanted = *chosen;
    }
    auto goal = build(reshaped_like(filter, wanted));
    if (!goal || meant == earnest::asks) return goal;
    if (auto done = filter.reshape(*goal); !done) return fail(std::move(done.error()));
    return goal;
}

result<any_filter> step_by_step(any_filter& filter, const wish& wanted, earnest meant) {
    auto way = find_way(filter, wanted);
    if (!way) return fail(std::move(way.error()));
    for (int i = 0; meant == earnest::changes && i < std::abs(way->steps); ++i) {
        auto done = way->steps > 0 ? filter.grow() : filter.shrink();
        if (!done) return fail(std::move(done.error()));
    }
    return std::move(way->end);
}

void report(const resize_flags& flags, const filter_file& file, std::uint64_t old_bytes, const any_filter& now,
            const wish& wanted) {
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
                        {"agreed", to_json(file.agreed)}});
    } else if (flags.output.wants_text()) {
        const std::string change = now.payload_bytes() == old_bytes ? fmt::format("stays at {}", bytes_text(old_bytes))
                                                                    : fmt::format("{} -> {}", bytes_text(old_bytes),
                                                                                  bytes_text(now.payload_bytes()));
        fmt::print("{}: {}{}, {} false positives with {}\n", flags.path, flags.dry_run ? "would be resized, " : "",
                   change, rate_text(said.fpr.value_or(0)), counted(wanted.items, "item"));
    }
}

result<int> run_resize(const resize_flags& flags) {
    if (flags.items.empty() && flags.bytes.empty() && flags.fpr.empty() && !flags.fit) {
        return fail(failure_reason::bad_parameter,
                    "what size? say --items N, --bytes B, --fpr RATE or --fit (as small as the keys in it allow)");
    }
    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    any_filter& filter = update->filter();
    if (!filter.can(capability::grow) && !filter.can(capability::shrink)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: a {} filter cannot be resized; kinds that can: {}", flags.path, filter.kind(),
                                names_of_kinds_that_can(capability::grow)));
    }
    const measurement before = filter.measure();
    auto wanted = wish_of(flags, update->file(), before);
    if (!wanted) return fail(wanted.error());
    const std::uint64_t old_bytes = filter.payload_bytes();
    const earnest meant = flags.dry_run ? earnest::asks : earnest::changes;
    auto goal =
        filter.can(capability::reshape) ? reshape(filter, *wanted, meant) : step_by_step(filter, *wanted, meant);
    if (!goal) return fail(in(flags.path, std::move(goal.error())));
    const any_filter& now = flags.dry_run ? *goal : filter;
    update->file().agreed = promise_after(flags, update->file().agreed, now, *wanted);
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
    command_flags command = line.add("resize", "Make a filter larger or smaller, without its keys",
                                     "everbloom create --kind dleft --items 1000 --fpr 0.1% names.eb names.txt\n"
                                     "everbloom resize --items 2000 --fpr 0.5% names.eb",
                                     [flags] { return run_resize(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    command.add_option("--items", flags->items, "so large that it holds so many keys")->type_name("N");
    command.add_option("--fpr", flags->fpr, "accept this rate of false positives (default: the agreed one)")
        ->type_name("RATE");
    command
        .add_option("--bytes", flags->bytes,
                    "as large as fits into so many bytes: room for more keys, at the same rate")
        ->type_name("B");
    command.add_flag("--fit", flags->fit, "as small as the keys in it allow");
    command.add_flag("--dry-run", flags->dry_run, "say what would happen, change nothing");
    flags->output.declare(command);
}

} // namespace everbloom::cli
