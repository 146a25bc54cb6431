// add: adds keys to a filter: all of them, or none if the filter would exceed its target FPR.
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/growth_limit.hpp"
#include "filters/insertion.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/overfull.hpp"
#include "filters/slow_update.hpp"
#include "filters/unique_keys.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_flags.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace everbloom::cli {
namespace {

struct add_flags {
    std::string path;
    bool print_new = false;
    bool overfill = false;
    bool all_or_none = false;
    bool unique = false;
    key_flags keys;
    summary_flags output;
};

void report(const add_flags& flags, const filter_file& file, const insertion& done, const measurement& now) {
    const insert_tally& tally = done.tally();
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"keys", tally.all()},
                        {"added", tally.successes()},
                        {"refused", tally.all() - tally.successes()},
                        {"outcomes", to_json(tally)},
                        {"agreed", to_json(file.target)},
                        {"items", now.items},
                        {"fpr_current", now.fpr}});
        return;
    }
    if (!flags.output.wants_text()) return;
    const std::string fullness = fullness_text(file, now);
    const std::string text = fmt::format(
        "{}: {} added{}{}; {}{}\n", flags.path, counted(tally.successes(), "key"), insert_remarks(tally),
        flags.print_new ? fmt::format(", {} new", grouped(done.new_keys())) : "", state_text(now, file.target),
        fullness.empty() ? "" : "; " + fullness + ": create a larger filter before keys are refused");
    // With --new standard output has the keys.
    flags.print_new ? say_text(text) : fmt::print("{}", text);
}

result<int> run_add(const add_flags& flags) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    if (auto order = refuse_swapped("add", flags.path, flags.keys.file_names()); !order) {
        return fail(std::move(order.error()));
    }
    auto files = flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));

    interruption stopper;
    auto update = filter_update::begin_any(flags.path);
    if (!update) return fail(std::move(update.error()));
    if (update->slow() != nullptr && flags.all_or_none) {
        return fail(failure_reason::unsupported,
                    flags.path + ": a slow filter changes while the keys are read; leave out --all-or-none");
    }
    filter_file& file = update->file();
    if (!file.filter().can(capability::insert)) {
        return fail(
            failure_reason::unsupported,
            fmt::format("{}: {} filter is built once, from all of its keys, and takes no others; add the keys to "
                        "the filter that it was exported from, and export that again, or create it again from "
                        "the whole list",
                        flags.path, with_article(file.filter().kind())));
    }
    const auto format = flags.keys.format_for(flags.path, file.keys);
    if (!format) return fail(format.error());
    greet_terminal(*files);
    skipped_lines skipped(flags.output.progress_mode());
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode(), &skipped};
    noted_lengths lengths(file);
    unique_keys unique;
    insertion into(file.filter(), flags.path,
                   flags.print_new ? insertion::printing::new_keys : insertion::printing::nothing, format->separator);
    auto inserted = hash_keys(stream, file.hasher(), stopper.cancel(), [&](const auto& keys) {
        lengths.take(file.keys, keys);
        return into.take(flags.unique ? unique.first_of(keys) : keys);
    });
    if (!inserted && update->slow() != nullptr) {
        return fail(keep_keys_before(*update, counted(into.tally().successes(), "key") + " added", inserted.error()));
    }
    if (!inserted && interruption::caught() != 0 && into.new_keys() != 0) {
        return fail(failure_reason::input_output,
                    fmt::format("interrupted; {} was not changed, but {} {} already printed as new", flags.path,
                                counted(into.new_keys(), "key"), into.new_keys() == 1 ? "was" : "were"));
    }
    if (!inserted) return fail(std::move(inserted.error()));
    into.report_refusals();
    skipped.report();
    const auto now = file.filter().measure();
    if (!flags.overfill && update->slow() == nullptr && exceeds(now, file.target)) {
        return fail(overfull(flags.path, "with " + counted(into.tally().all(), "more key"), now, file.target));
    }
    if (flags.all_or_none) {
        if (auto all = refuse_partial(flags.path, into.tally()); !all) return fail(std::move(all.error()));
    }
    if (auto wanted = stopper.check(); !wanted && update->slow() == nullptr) return fail(std::move(wanted.error()));
    if (into.tally().successes() != 0 || update->slow() != nullptr) {
        lengths.attach_to(file);
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    warn_of_end_of_growth(flags.path, file.filter(), into.tally());
    report(flags, file, into, now);
    return into.tally().all() == into.tally().successes() ? exit_done : exit_nothing;
}

} // namespace

void declare_add(command_line& line) {
    auto flags = std::make_shared<add_flags>();
    command_flags command = line.add("add", "Add keys to a filter",
                                     "everbloom create names.eb names.txt\n"
                                     "(echo zoe; cat names.txt) | everbloom add --new names.eb",
                                     [flags] { return run_add(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->keys.declare_files(command);
    auto new_flag =
        command.add_flag("--new", flags->print_new, "print the keys that were surely not in the filter before");
    command.add_flag("--overfill", flags->overfill, "accept keys beyond the capacity: the FPR rises above its target");
    command.add_flag("--unique", flags->unique, "drop repetitions among these keys before they reach the filter");
    command.add_flag("--all-or-none", flags->all_or_none,
                     "write nothing if the filter refuses a key (default: add the others)");
    flags->keys.declare(command);
    flags->output.declare(command);
    new_flag->excludes("--json");
}

} // namespace everbloom::cli
