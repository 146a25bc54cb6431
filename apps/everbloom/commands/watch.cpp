// watch: syncs a filter with a list whenever the list changes, until it is interrupted.
//
// Lists are watched through the directories they are in, since most programs replace a file instead of writing into it. A change is
// followed when no other one has come for a while: a list that is being written is not read half. A list that cannot be read, or is empty,
// changes nothing: the message says why, and the watch goes on.
#include "commands/commands.hpp"
#include "commands/sync/sync_command.hpp"
#include "commands/watch/change_watch.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "keys/key_files.hpp"
#include "output/message.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace everbloom::cli {
namespace {

struct watch_flags {
    sync_flags sync;
    std::string settle = "0.5";
    std::optional<std::string> most;
};

/// A sync with the files that are there now.
result<int> sync_now(const sync_flags& watched, const std::vector<std::string>& names) {
    auto lists = files_below(names);
    if (!lists) return fail(std::move(lists.error()));
    if (lists->empty()) return fail(failure_reason::bad_parameter, names.front() + ": has no files");
    auto done = run_sync(watched, *lists);
    std::fflush(stdout); // a log of the watch is read while it grows
    return done;
}

result<int> run_watch(const watch_flags& flags) {
    const auto settle = number_of_flag("--settle", flags.settle);
    if (!settle) return fail(settle.error());
    if (!(*settle >= 0) || *settle > 3600) {
        return fail(failure_reason::bad_parameter,
                    "--settle: '" + flags.settle + "' must be between 0 and 3600 seconds");
    }
    std::optional<std::uint64_t> limit;
    if (flags.most) {
        const auto given = size_of_flag("--syncs", *flags.most, 1, UINT64_MAX);
        if (!given) return fail(given.error());
        limit = *given;
    }
    if (flags.sync.lists.empty()) {
        return fail(failure_reason::bad_parameter, "no list given; name a file of keys, or a directory of such files");
    }
    if (std::find(flags.sync.lists.begin(), flags.sync.lists.end(), "-") != flags.sync.lists.end()) {
        return fail(failure_reason::bad_parameter, "standard input cannot be watched; name a file");
    }
    std::vector<std::string> watched = flags.sync.lists;
    watched.insert(watched.end(), flags.sync.negatives.begin(), flags.sync.negatives.end());
    // Before the first sync: a change during it is not missed.
    auto changes = change_watch::of(watched);
    if (!changes) return fail(std::move(changes.error()));
    std::uint64_t syncs = 0;
    interruption stopper; // around the syncs, which have their own: no moment is without one
    for (bool is_first = true;; is_first = false) {
        auto done = sync_now(flags.sync, flags.sync.lists);
        if (!done && (is_first || interruption::caught() != 0)) return done;
        if (!done) say("everbloom: {}; nothing was changed, the watch goes on\n", done.error().sentence);
        syncs += done ? 1 : 0;
        if (limit && syncs == *limit) return exit_done;
        if (interruption::caught() == 0) {
            if (auto changed = changes->wait(*settle, stopper.cancel()); !changed) {
                return fail(std::move(changed.error()));
            }
        }
        if (interruption::caught() != 0) {
            return fail(failure_reason::input_output,
                        fmt::format("interrupted after {}; {} is up to date with the last one", counted(syncs, "sync"),
                                    flags.sync.path));
        }
    }
}

} // namespace

void declare_watch(command_line& line) {
    auto flags = std::make_shared<watch_flags>();
    command_flags command = line.add("watch", "Sync a filter with a list, now and whenever the list changes",
                                     "everbloom watch names.eb names.txt --syncs 1\n"
                                     "mkdir -p lists && cp names.txt lists && everbloom watch all.eb lists --syncs 1",
                                     [flags] { return run_watch(*flags); });
    flags->sync.declare_lists(command, "the list: files with one key per line, or directories of such files");
    command.add_option("--settle", flags->settle, "seconds without a change before a change is followed")
        ->type_name("SECONDS")
        ->capture_default_str();
    command
        .add_option("--syncs", flags->most, "end after this number of syncs (default: go on until it is interrupted)")
        ->type_name("N");
    flags->sync.declare_filter(command);
}

} // namespace everbloom::cli
