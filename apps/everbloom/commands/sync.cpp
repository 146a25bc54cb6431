// sync: updates a filter to hold the keys of a list.
//
// The filter is locked first, then its stored list. Both are read, and the new list; the filter is changed in memory, and every member is
// queried. Then the list is saved, then the filter: see sync/list_file.hpp for a crash between the two.
#include "commands/commands.hpp"
#include "commands/sync/known_negatives.hpp"
#include "commands/sync/list_reading.hpp"
#include "commands/sync/sync_command.hpp"
#include "commands/sync/sync_report.hpp"
#include "commands/sync/sync_run.hpp"
#include "commands/sync/sync_start.hpp"
#include "commands/sync/trace.hpp"
#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"
#include "frame/interruption.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace everbloom::cli {
namespace {

result<void> named(const std::string& path, result<void> done) {
    if (!done) return fail(in(path, std::move(done.error())));
    return done;
}

result<void> follow_list(const sync_flags& flags, const std::vector<std::string>& lists, const key_format& format,
                         const any_hasher& hasher, key_arena& arena, cancellation& cancel, sync_run& run) {
    const list_reading how{flags.output.progress_mode(), flags.allow_empty};
    auto next = read_lists(flags.keys, how, lists, format, hasher, arena, cancel);
    if (!next) return fail(std::move(next.error()));
    run.note_repeated(next->repeated);
    if (flags.negatives.empty()) return named(flags.path, run.go_to(std::move(next->keys)));
    auto negatives = read_lists(flags.keys, how, flags.negatives, format, hasher, arena, cancel);
    if (!negatives) return fail(std::move(negatives.error()));
    if (format.type == key_type::cidr) {
        auto networks = networks_to_exclude(next->keys, negatives->keys, arena);
        if (!networks) return fail(in("--protect", std::move(networks.error())));
        negatives->keys = std::move(*networks);
    }
    auto both = separate(flags, format.type, std::move(next->keys), std::move(negatives->keys));
    if (!both) return fail(std::move(both.error()));
    run.note_overlap(both->overlap);
    if (auto gone = named(flags.path, run.go_to(std::move(both->members))); !gone) return gone;
    return named(flags.path, run.protect(both->negatives));
}

result<void> follow_trace(const sync_flags& flags, const key_format& format, key_arena& arena, interruption& stopper,
                          sync_run& run) {
    reading_rules rules = flags.keys.rules();
    rules.meaning = "a trace";
    auto revisions = read_trace(*flags.trace, rules, format, stopper.cancel());
    if (!revisions) return fail(std::move(revisions.error()));
    if (revisions->empty()) revisions->emplace_back(); // nothing to replay, but the filter may need to be rebuilt
    for (const trace_revision& one : *revisions) {
        if (auto stopped = stopper.check(); !stopped) return stopped;
        if (auto gone = named(flags.path, run.replay(one, arena)); !gone) return gone;
    }
    return {};
}

/// Saves list and filter: both are complete on disk before the first one is renamed.
result<void> save_both(output_file& filter_file_out, output_file& list_out, const filter_file& filter,
                       std::span<const std::byte> list) {
    if (auto prepared = list_out.prepare(std::span(&list, 1)); !prepared) return prepared;
    if (auto prepared = filter_file_out.prepare(filter); !prepared) return prepared;
    auto list_published = list_out.publish();
    if (!list_published && list_published.error().reason != failure_reason::not_durable) return list_published;
    if (auto published = filter_file_out.publish(); !published) {
        if (published.error().reason != failure_reason::not_durable) {
            published.error().sentence +=
                "; the list was replaced, the filter was not: run sync again, which rebuilds the "
                "filter from its list";
        }
        return published;
    }
    return list_published;
}

/// Contradictory flags.
result<void> check_flags_of(const sync_flags& flags) {
    if (flags.negatives.empty() || !flags.trace) return {};
    return fail(failure_reason::bad_parameter, "--protect goes with a LIST, not with --trace");
}

} // namespace

result<int> run_sync(const sync_flags& flags, const std::vector<std::string>& lists) {
    if (lists.empty() == !flags.trace) {
        return fail(failure_reason::bad_parameter,
                    "no list given; name a file of keys ('-' is standard input), or a trace with --trace FILE");
    }
    std::vector<std::string> inputs = flags.trace ? std::vector{*flags.trace} : lists;
    // A filter without a stored list was not created by sync: only --rebuild replaces it.
    const bool has_list = !inputs.empty() && ::access(list_path_of(inputs.front()).c_str(), F_OK) == 0;
    if (auto order = refuse_swapped(has_list ? "sync" : "sync --rebuild", flags.path, inputs); !order) {
        return fail(std::move(order.error()));
    }
    inputs.insert(inputs.end(), flags.negatives.begin(), flags.negatives.end());
    if (auto plausible = refuse_foreign_output(flags.path); !plausible) return fail(std::move(plausible.error()));
    interruption stopper;
    auto update = output_file::begin(flags.path, inputs);
    if (!update) return fail(std::move(update.error()));
    const std::string list_path = list_path_of(update->target());
    auto list_update = output_file::begin(list_path, inputs);
    if (!list_update) return fail(std::move(list_update.error()));
    key_arena arena;
    auto found = find_files(flags, update->target(), arena, stopper.cancel());
    if (!found) return fail(std::move(found.error()));
    const auto options = options_for(flags, *found);
    if (!options) return fail(options.error());
    const auto format = flags.keys.format_for(flags.path, options->keys);
    if (!format) return fail(format.error());
    if (auto sound = check_flags_of(flags); !sound) return fail(std::move(sound.error()));

    const auto start = flags.rekey        ? sync_run::start::rekey
                       : flags.rebuilds() ? sync_run::start::rebuild
                                          : sync_run::start::as_it_is;
    sync_run run(*options, std::move(*found), start);
    auto followed = flags.trace ? follow_trace(flags, *format, arena, stopper, run)
                                : follow_list(flags, lists, *format, options->hasher, arena, stopper.cancel(), run);
    if (!followed) return fail(std::move(followed.error()));
    run.note_lengths();
    const auto list_bytes = write_list({run.facts(), run.list()});
    if (!list_bytes) return fail(in(flags.path, list_bytes.error()));
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    if (!flags.dry_run && run.changed()) {
        auto saved = save_both(*update, *list_update, run.filter().file(), *list_bytes);
        if (!saved) return fail(std::move(saved.error()));
    }
    sync_summary summary = run.summary();
    summary.path = flags.path;
    summary.list_path = list_path;
    summary.dry_run = flags.dry_run;
    summary.list_bytes = list_bytes->size();
    print_sync(summary, run.filter(), flags.output, flags.each ? each_revision::shown : each_revision::hidden);
    return exit_done;
}

void declare_sync(command_line& line) {
    auto flags = std::make_shared<sync_flags>();
    command_flags command = line.add("sync", "Update a filter to a list: add new keys, remove old ones",
                                     "everbloom sync names.eb names.txt --seed 1\n"
                                     "(grep -v anna names.txt; echo zoe) | everbloom sync names.eb -",
                                     [flags] { return run_sync(*flags, flags->lists); });
    flags->declare_lists(
        command,
        "the new list: files with one key per line, plain or compressed (gzip, zstd, xz, bzip2); '-': standard "
        "input. Duplicates are allowed");
    flags->declare_trace(command);
    flags->declare_filter(command);
}

} // namespace everbloom::cli
