// redis split: the parts of a spread filter as files, made from a list without a server.
//
// The parts have one hash key, so that they can be merged again. `redis push` puts them on servers.
#include "commands/redis/redis_commands.hpp"
#include "commands/redis/server_flags.hpp"
#include "commands/sync/list_reading.hpp"
#include "commands/sync/sync_start.hpp"
#include "filters/filter_argument.hpp"
#include "filters/hasher_flags.hpp"
#include "filters/kind_names.hpp"
#include "filters/output_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/followed_filter.hpp>
#include <everbloom/jobs/shard.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct split_flags {
    std::vector<std::string> lists;
    std::string out;
    std::string shards;
    std::string kind{default_followed_kind};
    std::string fpr = "0.1%";
    bool force = false;
    hasher_flags hashing;
    key_flags keys;
    summary_flags output;
};

result<int> run_split(const split_flags& flags) {
    const auto shards = shards_of_flag(flags.shards);
    if (!shards) return fail(shards.error());
    const auto fpr = rate_of_flag("--fpr", flags.fpr);
    if (!fpr) return fail(fpr.error());
    const auto hasher = flags.hashing.make();
    if (!hasher) return fail(hasher.error());
    const auto format = text_format(flags.keys);
    if (!format) return fail(format.error());
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < *shards; ++i) {
        names.push_back(fmt::format("{}.{}.eb", flags.out, i));
        struct stat there {};
        if (auto ours = refuse_foreign_output(names[i]); !ours) return fail(std::move(ours.error()));
        if (!flags.force && ::lstat(names[i].c_str(), &there) == 0) {
            return fail(failure_reason::bad_parameter, names[i] + ": already exists; --force replaces it");
        }
        if (auto fits = refuse_input_as_output(names[i], flags.lists); !fits) return fail(std::move(fits.error()));
    }
    interruption stopper;
    key_arena arena;
    const list_reading how{flags.output.progress_mode(), false};
    const auto list = read_lists(flags.keys, how, flags.lists, *format, *hasher, arena, stopper.cancel());
    if (!list) return fail(list.error());
    std::vector<key_list> parts(*shards);
    for (const std::string_view key : list->keys) parts[shard_of(key, *shards)].push_back(key);
    const followed_options options{flags.kind, *fpr, *hasher};
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < *shards; ++i) {
        if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
        const auto made = followed_filter::make(options, parts[i], "");
        if (!made) return fail(in(names[i], made.error()));
        auto update = output_file::begin(names[i], flags.lists);
        if (!update) return fail(std::move(update.error()));
        if (auto saved = update->save(made->file()); !saved) return fail(std::move(saved.error()));
        bytes += saved_bytes(made->file());
    }
    if (flags.output.as_json) {
        print_document(
            {{"files", names}, {"items", list->keys.size()}, {"repeated", list->repeated}, {"bytes", bytes}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}, {} in {}\n", names.front() + (*shards == 1 ? "" : " ... " + names.back()),
                   counted(list->keys.size(), "key"), size_text(bytes, static_cast<double>(list->keys.size())),
                   counted(*shards, "file"));
    }
    return exit_done;
}

} // namespace

void declare_redis_split(command_line& line) {
    auto flags = std::make_shared<split_flags>();
    command_flags command = line.add("redis split", "Make the parts of a spread filter as files, from a list",
                                     "everbloom redis split names.txt --out parts --shards 2 --seed 1\n"
                                     "everbloom redis split names.txt --out small --shards 2 --kind blocked",
                                     [flags] { return run_split(*flags); });
    command.add_option("LIST", flags->lists, "files with one key per line, plain or compressed; '-': standard input")
        ->required()
        ->type_name("");
    command.add_option("--out", flags->out, "the files are called NAME.0.eb, NAME.1.eb, ...")
        ->required()
        ->type_name("NAME");
    command.add_option("--shards", flags->shards, "number of parts")->required()->type_name("N");
    command.add_option("--kind", flags->kind, "kind of the filters")
        ->type_name("KIND")
        ->suggests(list_of_kinds())
        ->capture_default_str();
    command.add_option("--fpr", flags->fpr, "target FPR")->type_name("RATE")->capture_default_str();
    command.add_flag("--force", flags->force, "replace existing files");
    flags->hashing.declare(command);
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
