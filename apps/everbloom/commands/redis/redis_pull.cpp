// redis pull: a filter of servers as a file.
//
// The parts are exported one by one. Parts with the same hash key are merged into one filter; nodes that were started without HASH_KEY have
// keys of their own, and their parts can only be kept separately.
#include "commands/redis/redis_commands.hpp"
#include "commands/redis/server_flags.hpp"
#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct pull_flags {
    server_flags server;
    bool separate = false;
    bool force = false;
    summary_flags output;
};

result<filter_file> exported_part(const spread_filter& filter, std::uint32_t shard) {
    const std::string& part = filter.part(shard);
    const auto said = filter.servers().run_one(part, {"EB.EXPORT", part});
    if (!said) return fail(said.error());
    if (said->is != server_reply::type::text) {
        return fail(failure_reason::mismatch,
                    fmt::format("{}: {}", printable(part), said->is_error() ? printable(said->text) : "is missing"));
    }
    auto file = read_filter(std::as_bytes(std::span(said->text)));
    if (!file) return fail(in(printable(part), std::move(file.error())));
    return file;
}

/// Adds a part to the whole.
result<void> join(filter_file& whole, filter_file part, const std::string& name) {
    if (whole.hasher() != part.hasher()) {
        return fail(
            failure_reason::mismatch,
            fmt::format("{}: its hash key differs from that of the other parts, so they cannot be merged; --separate "
                        "writes a file for each (nodes started with the same HASH_KEY make parts that can be merged)",
                        name));
    }
    auto merged = whole.filter().merge(part.filter());
    if (!merged) {
        merged.error().sentence =
            fmt::format("{}: {}; --separate writes a file for each part", name, merged.error().sentence);
        return merged;
    }
    whole.target.items += part.target.items;
    return {};
}

result<void> refuse_existing(const pull_flags& flags, const std::string& path) {
    struct stat there {};
    if (auto ours = refuse_foreign_output(path); !ours) return ours;
    if (flags.force || ::lstat(path.c_str(), &there) != 0) return {};
    return fail(failure_reason::bad_parameter, path + ": already exists; --force replaces it");
}

result<void> write_file(const std::string& path, const filter_file& file) {
    auto update = output_file::begin(path);
    if (!update) return fail(std::move(update.error()));
    return update->save(file);
}

result<int> run_pull(const pull_flags& flags) {
    auto request = flags.server.parse();
    if (!request) return fail(std::move(request.error()));
    if (request->files.size() != 1) {
        return fail(failure_reason::bad_parameter, "name one file to write: everbloom redis pull URL FILE");
    }
    const std::string out = request->files.front();
    interruption stopper;
    auto servers = server_group::connect(std::move(request->url), request->patience, stopper.cancel());
    if (!servers) return fail(std::move(servers.error()));
    const auto filter = find_spread(*servers, request->shards);
    if (!filter) return fail(filter.error());
    const auto name_of_part = [&](std::uint32_t shard) { return fmt::format("{}.{}", out, shard); };
    for (std::uint32_t i = 0; i < (flags.separate ? filter->shards() : 1); ++i) {
        auto is_free = refuse_existing(flags, flags.separate ? name_of_part(i) : out);
        if (!is_free) return fail(std::move(is_free.error()));
    }
    std::optional<filter_file> whole;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < filter->shards(); ++i) {
        if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
        auto part = exported_part(*filter, i);
        if (!part) return fail(std::move(part.error()));
        if (flags.separate) {
            if (auto written = write_file(name_of_part(i), *part); !written) return fail(std::move(written.error()));
            bytes += saved_bytes(*part);
        } else if (!whole) {
            whole = std::move(*part);
        } else if (auto joined = join(*whole, std::move(*part), filter->part(i)); !joined) {
            return fail(std::move(joined.error()));
        }
    }
    if (whole) {
        if (auto written = write_file(out, *whole); !written) return fail(std::move(written.error()));
        bytes = saved_bytes(*whole);
    }
    if (flags.output.as_json) {
        print_document({{"filter", servers->url().shown()},
                        {"file", out},
                        {"shards", filter->shards()},
                        {"separate", flags.separate},
                        {"bytes", bytes}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {} of {}, {}\n", flags.separate ? out + ".0 ..." : out, counted(filter->shards(), "part"),
                   servers->url().shown(), bytes_text(bytes));
    }
    return exit_done;
}

} // namespace

void declare_redis_pull(command_line& line) {
    auto flags = std::make_shared<pull_flags>();
    command_flags command = line.add("redis pull", "Write a filter of a server to a file",
                                     "everbloom redis pull redis://127.0.0.1:6379/copy copy.eb\n"
                                     "everbloom redis pull redis://127.0.0.1:6379/names parts --separate",
                                     [flags] { return run_pull(*flags); });
    flags->server.declare(command, "the file to write");
    command.add_flag("--separate", flags->separate, "a file for each part: FILE.0, FILE.1, ...");
    command.add_flag("--force", flags->force, "replace existing files");
    flags->output.declare(command);
}

} // namespace everbloom::cli
