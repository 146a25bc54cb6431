// redis push: adds the keys of lists to a filter on servers, or puts filter files there.
//
// Keys go in blocks; a block is answered before the next one is sent. A command that fails half-way can be repeated: a key that is there
// is not added again.
#include "commands/redis/redis_commands.hpp"
#include "commands/redis/server_flags.hpp"
#include "filters/filter_argument.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"
#include "output/change_record.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace everbloom::cli {
namespace {

struct push_flags {
    server_flags server;
    std::string capacity = "100k";
    std::string fpr = "0.1%";
    bool deletable = false;
    key_flags keys;
    summary_flags output;
};

result<spread_plan> plan_of(const push_flags& flags, const server_request& request) {
    const auto capacity = size_of_flag("--capacity", flags.capacity, 1, std::uint64_t{1} << 50);
    if (!capacity) return fail(capacity.error());
    const auto fpr = rate_of_flag("--fpr", flags.fpr);
    if (!fpr) return fail(fpr.error());
    return spread_plan{request.shards.value_or(1), *capacity, *fpr, flags.deletable};
}

/// Failures say how far it went.
failure after(const spread_filter::change& done, failure why) {
    why.sentence +=
        fmt::format("; {} added before, {} there already", counted(done.changed, "key"), grouped(done.unchanged));
    return why;
}

result<int> push_lists(const push_flags& flags, server_request request) {
    const auto plan = plan_of(flags, request);
    if (!plan) return fail(plan.error());
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    auto format = text_format(flags.keys);
    if (!format) return fail(std::move(format.error()));
    auto files = flags.keys.find(request.files);
    if (!files) return fail(std::move(files.error()));
    interruption stopper;
    auto servers = server_group::connect(std::move(request.url), request.patience, stopper.cancel());
    if (!servers) return fail(std::move(servers.error()));
    auto there = spread_filter::find(*servers, request.shards);
    if (!there) return fail(std::move(there.error()));
    const bool is_new = !*there;
    auto filter = is_new ? spread_filter::make(*servers, *plan) : result<spread_filter>(std::move(**there));
    if (!filter) return fail(std::move(filter.error()));

    greet_terminal(*files);
    skipped_lines skipped(flags.output.progress_mode());
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode(), &skipped};
    spread_filter::change done;
    const auto pushed =
        hash_keys(stream, any_hasher{}, stopper.cancel(),
                  [&](const hashed_keys& block) -> result<void> { return filter->add(block.texts, done); });
    if (!pushed && interruption::caught() != 0) {
        return fail(failure_reason::input_output, fmt::format("interrupted after {}; run it again to add the rest",
                                                              counted(done.changed + done.unchanged, "key")));
    }
    if (!pushed) return fail(after(done, pushed.error()));
    skipped.report();
    if (flags.output.as_json) {
        print_document({{"filter", servers->url().shown()},
                        {"created", is_new},
                        {"shards", filter->shards()},
                        {"nodes", servers->nodes()},
                        {"added", done.changed},
                        {"already_there", done.unchanged}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}{} added, {} there already; {}\n", servers->url().shown(), is_new ? "created, " : "",
                   counted(done.changed, "key"), grouped(done.unchanged), counted(filter->shards(), "part"));
    }
    return exit_done;
}

/// One part from the bytes of a file, in chunks; a part that is there is replaced once the file has been read.
result<void> put_part(const spread_filter& filter, std::uint32_t shard, std::span<const std::byte> bytes) {
    constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
    const std::string& part = filter.part(shard);
    const std::string total = std::to_string(bytes.size());
    auto& servers = filter.servers();
    if (auto gone = servers.run_one(part, {"UNLINK", part}); !gone) return fail(std::move(gone.error()));
    if (changed_files() == 0) note_changed_file(servers.url().shown());
    while (!bytes.empty()) {
        const auto chunk = bytes.first(std::min(bytes.size(), chunk_bytes));
        const std::string_view text(reinterpret_cast<const char*>(chunk.data()), chunk.size());
        const auto said = servers.run_one(part, {"EB.LOADCHUNK", part, "EB", total, text});
        if (!said) return fail(said.error());
        if (said->is_error()) {
            return fail(failure_reason::mismatch, fmt::format("{}: {}", printable(part), printable(said->text)));
        }
        bytes = bytes.subspan(chunk.size());
    }
    return {};
}

result<int> push_filters(const push_flags& flags, server_request request) {
    const auto shards = static_cast<std::uint32_t>(request.files.size());
    if (request.shards && *request.shards != shards) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("--shards {}: {} given; a filter cannot be split without its keys ('everbloom "
                                "redis split' makes the parts from a list)",
                                *request.shards, counted(shards, "filter")));
    }
    std::vector<std::vector<std::byte>> contents;
    std::uint64_t bytes = 0;
    for (const std::string& path : request.files) {
        const auto file = map_filter_argument(path); // all are checked before the first is sent
        if (!file) return fail(file.error());
        contents.push_back(write_filter(*file));
        bytes += contents.back().size();
    }
    interruption stopper;
    auto servers = server_group::connect(std::move(request.url), request.patience, stopper.cancel());
    if (!servers) return fail(std::move(servers.error()));
    auto filter = spread_filter::note(*servers, shards);
    if (!filter) return fail(std::move(filter.error()));
    for (std::uint32_t i = 0; i < shards; ++i) {
        if (auto put = put_part(*filter, i, contents[i]); !put) {
            return fail(
                in(fmt::format("{} (after {} of {} parts)", request.files[i], i, shards), std::move(put.error())));
        }
    }
    if (flags.output.as_json) {
        print_document(
            {{"filter", servers->url().shown()}, {"shards", shards}, {"nodes", servers->nodes()}, {"bytes", bytes}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {} of {} put there\n", servers->url().shown(), counted(shards, "part"), bytes_text(bytes));
    }
    return exit_done;
}

result<int> run_push(const push_flags& flags) {
    auto request = flags.server.parse();
    if (!request) return fail(std::move(request.error()));
    const auto filters = std::count_if(request->files.begin(), request->files.end(), looks_like_filter);
    if (filters == 0) return push_lists(flags, std::move(*request));
    if (static_cast<std::size_t>(filters) == request->files.size()) return push_filters(flags, std::move(*request));
    return fail(failure_reason::bad_parameter, "filters and lists are given; push one of them at a time");
}

} // namespace

void declare_redis_push(command_line& line) {
    auto flags = std::make_shared<push_flags>();
    command_flags command =
        line.add("redis push", "Add the keys of a list to a filter on a server, or put a filter there",
                 "everbloom redis push names.txt redis://127.0.0.1:6379/names --shards 12 --deletable\n"
                 "everbloom create part.eb names.txt && everbloom redis push part.eb "
                 "redis://127.0.0.1:6379/copy",
                 [flags] { return run_push(*flags); });
    flags->server.declare(command,
                          "lists of keys, plain or compressed ('-': standard input), or filters, one for each part");
    command.add_option("--capacity", flags->capacity, "keys that a new filter is made for; it grows beyond")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--fpr", flags->fpr, "target FPR of a new filter")->type_name("RATE")->capture_default_str();
    command.add_flag("--deletable", flags->deletable,
                     "keys of a new filter can be removed ('sync' needs that); 38 bits per key");
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
