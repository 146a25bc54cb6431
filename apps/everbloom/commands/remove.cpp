// remove: removes keys from a filter, with an outcome for each.
//
// A key whose cells prove that it was never added is not removed (not_present). Any other key may be a false positive, and removing it
// clears cells of members. If the outcomes as a whole show that there are false positives among the keys, nothing is saved (removal.hpp). A
// dry run does the same in memory without saving, so its output is that of the real run.
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/kind_names.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/removal.hpp"
#include "filters/slow_update.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_flags.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace everbloom::cli {
namespace {

struct remove_flags {
    std::string path;
    bool dry_run = false;
    bool unverified = false;
    key_flags keys;
    summary_flags output;
};

std::string remove_text(const erase_tally& tally, bool is_saved) {
    std::string text = counted(tally.successes(), "key") + (is_saved ? " removed" : " would be removed");
    const auto remark = [&](erase_outcome outcome, std::string_view words) {
        if (const std::uint64_t count = tally.of(outcome); count != 0)
            text += fmt::format(", {} {}", grouped(count), words);
    };
    if (const auto still = tally.of(erase_outcome::removed_still_positive); still != 0) {
        text += fmt::format(" ({} of them still answer \"maybe\")", grouped(still));
    }
    remark(erase_outcome::not_present, "not present");
    remark(erase_outcome::not_deletable, "not deletable");
    remark(erase_outcome::ambiguous, "ambiguous");
    return text;
}

/// `is_saved`: the file was changed.
void report(const remove_flags& flags, const removal_evidence& gone, bool is_saved) {
    if (flags.output.as_json) {
        json counts = to_json(gone.tally());
        counts["risked"] = gone.risk();
        counts["never_added"] = gone.never_added();
        counts["dry_run"] = flags.dry_run;
        counts["saved"] = is_saved;
        fmt::print("{}", json_line({{"summary", counts}}));
        return;
    }
    if (!flags.output.wants_text()) return;
    fmt::print("{}: {}\n", flags.path, remove_text(gone.tally(), !flags.dry_run));
    if (gone.tally().successes() != 0 && !gone.is_verified()) {
        fmt::print("Remove only keys that were added: a key that was never added is removed with probability {}, and "
                   "that can turn "
                   "members into false negatives.\n",
                   rate_text(gone.risk()));
    }
}

/// The filter to remove keys from. A dry run needs neither a lock nor write permission.
struct removal_target {
    std::optional<filter_update> update;
    std::optional<filter_file> only_read;

    [[nodiscard]] filter_file& file() { return update ? update->file() : *only_read; }
};

result<filter_file> map_for_dry_run(const std::string& path) {
    return is_slow_filter(path) ? map_any_filter_argument(path, slow_queries::verified) : open_filter(path);
}

result<removal_target> open_for(const remove_flags& flags) {
    removal_target made;
    if (flags.dry_run) {
        auto file = map_for_dry_run(flags.path);
        if (!file) return fail(std::move(file.error()));
        made.only_read.emplace(std::move(*file));
    } else {
        auto update = filter_update::begin_any(flags.path);
        if (!update) return fail(std::move(update.error()));
        made.update.emplace(std::move(*update));
    }
    return made;
}

result<int> run_remove(const remove_flags& flags) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    if (auto order = refuse_swapped("remove", flags.path, flags.keys.file_names()); !order) {
        return fail(std::move(order.error()));
    }
    auto files = flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));

    interruption stopper;
    auto opened = open_for(flags);
    if (!opened) return fail(std::move(opened.error()));
    any_filter& filter = opened->file().filter();
    if (!filter.can(capability::erase)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} filter cannot remove keys; kinds that can: {}", flags.path,
                                with_article(filter.kind()), names_of_kinds_that_can(capability::erase)));
    }
    const auto format = flags.keys.format_for(flags.path, opened->file().keys);
    if (!format) return fail(format.error());
    greet_terminal(*files);
    skipped_lines skipped(flags.output.progress_mode());
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode(), &skipped};
    const noted_lengths lengths(opened->file());
    removal going(filter, flags.output.as_json ? removal::printing::verdicts : removal::printing::nothing);
    auto done = hash_keys(stream, opened->file().hasher(), stopper.cancel(),
                          [&](const auto& keys) { return going.take(keys); });
    const bool is_slow = opened->update && opened->update->slow() != nullptr;
    if (!done && is_slow) {
        const std::string so_far = counted(going.evidence().tally().successes(), "key") + " removed";
        return fail(keep_keys_before(*opened->update, so_far, done.error()));
    }
    if (!done && interruption::caught() != 0 && flags.output.as_json) {
        return fail(failure_reason::input_output,
                    fmt::format("interrupted; {} was not changed, although outcomes for {} were printed", flags.path,
                                counted(going.evidence().tally().all(), "key")));
    }
    if (!done) return fail(std::move(done.error()));
    if (auto wanted = stopper.check(); !wanted && !is_slow) return fail(std::move(wanted.error()));
    auto sound = flags.unverified ? result<void>{} : going.check(flags.path);
    const bool found = going.evidence().tally().successes() != 0;
    const bool saves = (found || is_slow) && sound && !flags.dry_run;
    skipped.report();
    if (saves) {
        lengths.attach_to(opened->file());
        if (auto saved = opened->update->save(); !saved) return fail(std::move(saved.error()));
    }
    if (sound || flags.dry_run || flags.output.as_json) report(flags, going.evidence(), saves);
    if (!sound) return fail(std::move(sound.error()));
    return found ? exit_done : exit_nothing;
}

} // namespace

void declare_remove(command_line& line) {
    auto flags = std::make_shared<remove_flags>();
    command_flags command = line.add("remove", "Remove keys from a filter",
                                     "everbloom create names.eb names.txt\n"
                                     "head -2 names.txt | everbloom remove --json names.eb",
                                     [flags] { return run_remove(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->keys.declare_files(command);
    command.add_flag("--dry-run", flags->dry_run, "print what would be done, change nothing");
    command.add_flag("--unverified", flags->unverified, "skip the check for keys that were never added (see below)");
    flags->keys.declare(command);
    flags->output.declare(command);
    command.before_examples(
        "\nKeys that were never added:\n"
        "  Most kinds cannot distinguish a false positive from a member, and removing a false positive can turn "
        "members into\n"
        "  false negatives. But most keys that were never added are reported as not present, and their number gives "
        "an\n"
        "  estimate of the false positives among the other keys. If that is one or more, nothing is changed (exit code "
        "2).\n"
        "  Kinds that store hashes of their keys verify every removal and need no estimate. No kind knows whether a "
        "key that\n"
        "  was added twice should stay. A dry run removes the keys in memory only: same output, same exit code.\n");
}

} // namespace everbloom::cli
