// remove: takes keys out of a filter, and says of each what happened.
//
// Where the cells prove that a key was never added, it is not removed (not_present). Otherwise it may be a false positive, and removing it
// takes away cells of members. If the keys as a whole say that there are such among them, nothing is saved (removal.hpp). A dry run does the
// same in memory and saves nothing either, so what it says is what would happen.
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/kind_names.hpp"
#include "filters/removal.hpp"
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
        if (const std::uint64_t count = tally.of(outcome); count != 0) text += fmt::format(", {} {}", count, words);
    };
    if (const auto still = tally.of(erase_outcome::removed_still_positive); still != 0) {
        text += fmt::format(" ({} of them still answer \"maybe\")", still);
    }
    remark(erase_outcome::not_present, "not present");
    remark(erase_outcome::not_deletable, "not deletable");
    remark(erase_outcome::ambiguous, "ambiguous");
    return text;
}

/// What became of the keys. `is_saved`: and the file says so.
void report(const remove_flags& flags, const removal& gone, bool is_saved) {
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
        fmt::print(
            "Remove only keys that were added: one that never was is taken out all the same with probability {}, and "
            "takes cells of others with it, which may then be missed.\n",
            rate_text(gone.risk()));
    }
}

/// The filter to take keys out of. A dry run needs no lock, and no right to write.
struct removal_target {
    std::optional<filter_update> update;
    std::optional<filter_file> only_read;

    [[nodiscard]] filter_file& file() { return update ? update->file() : *only_read; }
};

result<removal_target> open_for(const remove_flags& flags) {
    removal_target made;
    if (flags.dry_run) {
        auto file = open_filter(flags.path);
        if (!file) return fail(std::move(file.error()));
        made.only_read.emplace(std::move(*file));
    } else {
        auto update = filter_update::begin(flags.path);
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
    auto files = find_key_files(flags.keys.file_names(), flags.keys.rules());
    if (!files) return fail(std::move(files.error()));

    interruption stopper;
    auto opened = open_for(flags);
    if (!opened) return fail(std::move(opened.error()));
    any_filter& filter = opened->file().filter();
    if (!filter.can(capability::erase)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: a {} filter cannot remove keys; kinds that can: {}", flags.path, filter.kind(),
                                names_of_kinds_that_can(capability::erase)));
    }
    const auto format = flags.keys.format_for(flags.path, opened->file().keys);
    if (!format) return fail(format.error());
    greet_terminal(*files);
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode()};
    removal going(filter, flags.output.as_json ? removal::printing::verdicts : removal::printing::nothing);
    auto done =
        hash_keys(stream, opened->file().hasher(), stopper.wish(), [&](const auto& keys) { return going.take(keys); });
    if (!done && interruption::caught() != 0 && flags.output.as_json) {
        return fail(failure_reason::input_output,
                    fmt::format("interrupted; {} was not changed, though verdicts on {} were printed", flags.path,
                                counted(going.tally().all(), "key")));
    }
    if (!done) return fail(std::move(done.error()));
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    auto sound = flags.unverified ? result<void>{} : going.check(flags.path);
    const bool found = going.tally().successes() != 0;
    const bool saves = found && sound && !flags.dry_run;
    if (saves) {
        if (auto saved = opened->update->save(); !saved) return fail(std::move(saved.error()));
    }
    if (sound || flags.dry_run || flags.output.as_json) report(flags, going, saves);
    if (!sound) return fail(std::move(sound.error()));
    return found ? exit_done : exit_nothing;
}

} // namespace

void declare_remove(command_line& line) {
    auto flags = std::make_shared<remove_flags>();
    command_flags command = line.add("remove", "Take keys out of a filter",
                                     "everbloom create names.eb names.txt\n"
                                     "head -2 names.txt | everbloom remove --json names.eb",
                                     [flags] { return run_remove(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->keys.declare_files(command);
    command.add_flag("--dry-run", flags->dry_run, "say what would happen, change nothing");
    command.add_flag("--unverified", flags->unverified,
                     "remove the keys even if so many are not present that some of the others were never added either");
    flags->keys.declare(command);
    flags->output.declare(command);
    command.before_examples(
        "\nKeys that were never added:\n"
        "  Most kinds cannot tell such a key from a member if it is a false positive, and removing it may make them "
        "miss "
        "members.\n"
        "  But most of such keys are found to be not present, and from their number follows how many of the others are "
        "false\n"
        "  positives. If that is one or more, nothing is changed (exit code 2). Kinds that keep hashes of their keys "
        "verify "
        "every\n"
        "  removal and need no such rule. What no kind can know: whether a key that was added twice is meant to stay.\n"
        "  A dry run does the removal in memory only: its numbers and its exit code are those of the real one.\n");
}

} // namespace everbloom::cli
