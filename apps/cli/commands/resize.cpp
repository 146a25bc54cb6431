// resize: makes a filter larger or smaller without its keys, for those kinds that can.
//
// A filter changes its size in steps of its kind. Which step is the right one is found out on an empty filter of the same geometry;
// then the real one takes the same steps. Nothing is written unless all of them succeed and the rate that was agreed still holds.
#include "agreed_rate.hpp"
#include "commands/commands.hpp"
#include "filter_update.hpp"
#include "geometry_flags.hpp"
#include "interruption.hpp"
#include "summary.hpp"
#include "wording.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>

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

/// What may be promised from now on: the new number of items at the rate that was asked for.
agreement promise_after(const resize_flags& flags, const agreement& before, const any_filter& filter,
                        const wish& wanted) {
    if (before.items == 0) return before;
    const bool keeps_items = !flags.fit && before.items > wanted.items &&
                             filter.predict({.items = before.items}).fpr.value_or(0) <= *wanted.fpr &&
                             has_room(filter, {before.items, {}, {}});
    return {keeps_items ? before.items : wanted.items, *wanted.fpr};
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
    const auto wanted = wish_of(flags, update->file(), before);
    if (!wanted) return fail(wanted.error());
    const std::uint64_t old_bytes = filter.payload_bytes();
    auto way = find_way(filter, *wanted);
    if (!way) return fail(in(flags.path, std::move(way.error())));
    for (int i = 0; !flags.dry_run && i < std::abs(way->steps); ++i) {
        auto done = way->steps > 0 ? filter.grow() : filter.shrink();
        if (!done) return fail(in(flags.path, std::move(done.error())));
    }
    update->file().agreed = promise_after(flags, update->file().agreed, flags.dry_run ? way->end : filter, *wanted);
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    if (!flags.dry_run) {
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    report(flags, update->file(), old_bytes, flags.dry_run ? way->end : filter, *wanted);
    return exit_done;
}

} // namespace

void declare_resize(command_line& line) {
    auto flags = std::make_shared<resize_flags>();
    CLI::App& command = line.add("resize", "Make a filter larger or smaller, without its keys",
                                 "everbloom create --kind dleft --items 1000 --fpr 0.1% names.eb names.txt\n"
                                 "everbloom resize --items 2000 --fpr 0.5% names.eb",
                                 [flags] { return run_resize(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    command.add_option("--items", flags->items, "so large that it holds so many keys")->type_name("N");
    command.add_option("--fpr", flags->fpr, "accept this rate of false positives (default: the agreed one)")
        ->type_name("RATE");
    command.add_option("--bytes", flags->bytes, "as large as fits into so many bytes")->type_name("B");
    command.add_flag("--fit", flags->fit, "as small as the keys in it allow");
    command.add_flag("--dry-run", flags->dry_run, "say what would happen, change nothing");
    flags->output.declare(command);
}

} // namespace everbloom::cli
