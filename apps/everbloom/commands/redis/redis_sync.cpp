// redis sync: makes a filter on servers hold the keys of a list, by adding the new ones and removing the old ones.
//
// What the filter holds is kept as an exact list in a file (--state). The new list is written beside it, as FILE.next, before anything is
// sent, and takes its place when the servers have answered everything. After a crash in between, keys of both lists may be there: the next
// run adds what is not in both, and removes what is in either but not in its own list. A note on the server (name:synced) names
// the list that it holds, so that the file of another filter, or of an earlier life of it, is not believed.
#include "commands/redis/redis_commands.hpp"
#include "commands/redis/server_flags.hpp"
#include "commands/sync/list_file.hpp"
#include "commands/sync/list_reading.hpp"
#include "filters/output_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/hash/running_checksum.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace everbloom::cli {
namespace {

struct remote_sync_flags {
    server_flags server;
    std::string capacity = "100k";
    std::string fpr = "0.1%";
    std::optional<std::string> state;
    bool rebuild = false;
    bool allow_empty = false;
    bool dry_run = false;
    key_flags keys;
    summary_flags output;
};

/// What may be in the filter, and what surely is.
struct held_lists {
    key_list surely;
    key_list maybe;
    std::vector<std::uint64_t> identities; // of the lists that it may hold
    bool begun = false;                    // the very first sync was interrupted
};

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string note_of(std::uint64_t identity) { return fmt::format("{:016x}", identity); }

std::uint64_t identity_of_list(const key_list& keys) {
    running_checksum sum;
    for (const std::string_view key : keys) {
        sum.add(std::uint64_t{key.size()}); // so that the ends of keys count
        sum.add(key.data(), key.size());
    }
    return sum.value();
}

result<held_lists> read_held(const std::string& state, key_arena& arena, const cancellation& cancel) {
    held_lists made;
    made.begun = !exists(state) && exists(state + ".next");
    for (const std::string& path : {state, state + ".next"}) {
        if (!exists(path)) continue;
        auto list =
            read_list(path, arena, cancel, "delete it; --rebuild then deletes the filter and sends the whole list");
        if (!list) return fail(std::move(list.error()));
        made.identities.push_back(list->facts.identity);
        if (path == state) {
            made.surely = list->keys;
            made.maybe = std::move(list->keys);
        } else {
            key_list both;
            key_list either;
            std::ranges::set_intersection(made.surely, list->keys, std::back_inserter(both));
            std::ranges::set_union(made.maybe, list->keys, std::back_inserter(either));
            made.surely = std::move(both);
            made.maybe = std::move(either);
        }
    }
    return made;
}

/// Sends keys in groups, so that an interruption is heard.
template <class Change>
result<void> in_groups(const key_list& keys, progress& bar, const interruption& stopper, const Change& change) {
    constexpr std::size_t group = 50'000;
    for (std::span<const std::string_view> rest = keys; !rest.empty();) {
        if (auto stopped = stopper.check(); !stopped) {
            return fail(failure_reason::input_output, "interrupted; run it again to complete it");
        }
        const auto now = rest.first(std::min(rest.size(), group));
        if (auto done = change(now); !done) return done;
        bar.advance(now.size(), 0);
        rest = rest.subspan(now.size());
    }
    return {};
}

/// The server must hold one of the lists on file. A filter that is not there is made; --rebuild makes a new one.
result<spread_filter> filter_for(const remote_sync_flags& flags, const server_request& request, server_group& servers,
                                 held_lists& held, const std::string& state, double fpr) {
    const auto capacity = size_of_flag("--capacity", flags.capacity, 1, std::uint64_t{1} << 50);
    if (!capacity) return fail(capacity.error());
    auto there = spread_filter::find(servers, request.shards);
    if (!there) return fail(std::move(there.error()));
    const spread_plan plan{request.shards.value_or(*there ? (*there)->shards() : 1), *capacity, fpr, true};
    if (*there && !flags.rebuild) {
        const auto note = (*there)->read_note("synced");
        if (!note) return fail(note.error());
        const bool is_known =
            std::ranges::any_of(held.identities, [&](std::uint64_t one) { return note_of(one) == *note; });
        if (is_known || (note->empty() && held.begun)) return std::move(**there);
        return fail(failure_reason::mismatch,
                    fmt::format("{} holds other keys than {} says; --rebuild deletes it and sends the whole list",
                                servers.url().shown(), state));
    }
    held = {}; // nothing of it is there
    if (flags.dry_run) {
        return fail(failure_reason::bad_parameter,
                    servers.url().shown() + ": is not there, or is to be rebuilt; a dry run cannot say more");
    }
    if (*there) {
        if (auto dropped = (*there)->drop(); !dropped) return fail(std::move(dropped.error()));
    }
    return spread_filter::make(servers, plan);
}

result<void> save_list(const std::string& path, const followed_list& list, std::span<const std::string> inputs) {
    const auto bytes = write_list(list);
    if (!bytes) return fail(bytes.error());
    auto update = output_file::begin_other(path, inputs);
    if (!update) return fail(std::move(update.error()));
    const std::span<const std::byte> piece = *bytes;
    return update->commit(std::span(&piece, 1));
}

result<int> run_remote_sync(const remote_sync_flags& flags) {
    auto request = flags.server.parse();
    if (!request) return fail(std::move(request.error()));
    if (request->files.empty()) return fail(failure_reason::bad_parameter, "no list given; name a file of keys");
    const auto format = text_format(flags.keys);
    if (!format) return fail(format.error());
    const auto fpr = rate_of_flag("--fpr", flags.fpr);
    if (!fpr) return fail(fpr.error());
    const std::string state = flags.state.value_or(request->url.name + ".list.zst");
    interruption stopper;
    key_arena arena;
    auto held = read_held(state, arena, stopper.cancel());
    if (!held) return fail(std::move(held.error()));
    const list_reading how{flags.output.progress_mode(), flags.allow_empty};
    auto next = read_lists(flags.keys, how, request->files, *format, any_hasher{}, arena, stopper.cancel());
    if (!next) return fail(std::move(next.error()));
    auto servers = server_group::connect(request->url, request->patience, stopper.cancel());
    if (!servers) return fail(std::move(servers.error()));
    auto filter = filter_for(flags, *request, *servers, *held, state, *fpr);
    if (!filter) return fail(std::move(filter.error()));

    key_list added;
    key_list removed;
    std::ranges::set_difference(next->keys, held->surely, std::back_inserter(added));
    std::ranges::set_difference(held->maybe, next->keys, std::back_inserter(removed));
    const std::uint64_t identity = identity_of_list(next->keys);
    spread_filter::change additions;
    spread_filter::change removals;
    if (!flags.dry_run) {
        const followed_list list{{key_type::text, find_kind("quotient")->id, *fpr, identity, 0}, next->keys};
        if (auto saved = save_list(state + ".next", list, request->files); !saved)
            return fail(std::move(saved.error()));
        progress bar(flags.output.progress_mode(), 0);
        auto sent = in_groups(removed, bar, stopper, [&](auto keys) { return filter->remove(keys, removals); });
        if (sent) sent = in_groups(added, bar, stopper, [&](auto keys) { return filter->add(keys, additions); });
        if (sent) sent = filter->write_note("synced", note_of(identity));
        if (!sent) return fail(std::move(sent.error()));
        if (auto saved = save_list(state, list, request->files); !saved) return fail(std::move(saved.error()));
        ::unlink((state + ".next").c_str()); // if it stays, it says the same
    }
    if (flags.output.as_json) {
        print_document({{"filter", servers->url().shown()},
                        {"dry_run", flags.dry_run},
                        {"added", added.size()},
                        {"removed", removed.size()},
                        {"items", next->keys.size()},
                        {"repeated", next->repeated},
                        {"not_there", removals.unchanged},
                        {"shards", filter->shards()},
                        {"state", state}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}{} added, {} removed; {}, {}; list in {}\n", servers->url().shown(),
                   flags.dry_run ? "dry run: " : "", counted(added.size(), "key"), grouped(removed.size()),
                   counted(next->keys.size(), "key"), counted(filter->shards(), "part"), state);
    }
    return exit_done;
}

} // namespace

void declare_redis_sync(command_line& line) {
    auto flags = std::make_shared<remote_sync_flags>();
    command_flags command =
        line.add("redis sync", "Update a filter on a server to a list: add new keys, remove old ones",
                 "everbloom redis sync names.txt redis://127.0.0.1:6379/followed --shards 4\n"
                 "(grep -v anna names.txt; echo zoe) | everbloom redis sync - redis://127.0.0.1:6379/followed",
                 [flags] { return run_remote_sync(*flags); });
    flags->server.declare(command,
                          "the new list: files with one key per line, plain or compressed; '-': standard input");
    command.add_option("--state", flags->state, "the list that the filter holds (default: NAME.list.zst)")
        ->type_name("FILE");
    command.add_option("--capacity", flags->capacity, "keys that a new filter is made for; it grows beyond")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--fpr", flags->fpr, "target FPR of a new filter")->type_name("RATE")->capture_default_str();
    command.add_flag("--rebuild", flags->rebuild, "delete the filter and send the whole list");
    command.add_flag("--allow-empty", flags->allow_empty, "accept a list without keys (default: an error)");
    command.add_flag("--dry-run", flags->dry_run, "print what would be done, change nothing");
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
