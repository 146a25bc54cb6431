// remove: takes keys out of a filter, and says of each what happened.
//
// A filter cannot know its members. Where its cells prove that a key was never added, the removal is refused (not_present). Otherwise
// a stranger passes for a member, and removing it takes away cells of other keys, which may be missed from then on. So the summary
// says how likely that was for a key that was never added.
#include "commands/commands.hpp"
#include "filter_update.hpp"
#include "geometry_flags.hpp"
#include "hash_keys.hpp"
#include "interruption.hpp"
#include "keys/key_flags.hpp"
#include "keys/key_text.hpp"
#include "outcome_tally.hpp"
#include "standard_output.hpp"
#include "summary.hpp"
#include "wording.hpp"

#include <fmt/format.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct remove_flags {
    std::string path;
    key_flags keys;
    summary_flags output;
};

class removal {
public:
    enum class printing { nothing, verdicts };

    removal(any_filter& filter, printing wanted) : filter_(filter), wanted_(wanted) {}

    result<void> take(const hashed_keys& keys) {
        std::array<erase_outcome, batch_items> outcomes{};
        for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
            const std::size_t count = std::min(batch_items, keys.digests.size() - from);
            auto done = filter_.erase(std::span(keys.digests).subspan(from, count), std::span(outcomes).first(count));
            if (!done) return done;
            for (std::size_t i = 0; i < count; ++i) {
                tally_.add(outcomes[i]);
                if (wanted_ == printing::verdicts) print(keys.texts[from + i], outcomes[i]);
            }
        }
        auto written = write_output(output_);
        output_.clear();
        return written;
    }

    [[nodiscard]] const erase_tally& tally() const noexcept { return tally_; }

private:
    void print(std::string_view text, erase_outcome outcome) {
        json verdict = key_json(text);
        verdict["outcome"] = name_of(outcome);
        output_ += json_line(verdict);
    }

    any_filter& filter_;
    printing wanted_;
    erase_tally tally_;
    std::string output_;
};

std::string remove_text(const erase_tally& tally) {
    std::string text = counted(tally.successes(), "key") + " removed";
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

result<void> report(const remove_flags& flags, const erase_tally& tally, double risked) {
    if (flags.output.as_json) {
        json counts = tally.to_json();
        counts["risked"] = risked;
        return write_output(json_line({{"summary", counts}}));
    }
    if (!flags.output.wants_text()) return {};
    fmt::print("{}: {}\n", flags.path, remove_text(tally));
    if (tally.successes() != 0) {
        fmt::print(
            "Remove only keys that were added: one that never was is taken out all the same with probability {}, and "
            "takes cells of others with it, which may then be missed.\n",
            rate_text(risked));
    }
    return {};
}

result<int> run_remove(const remove_flags& flags) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    auto files = find_key_files(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));
    if (auto lists = refuse_filters(*files); !lists) return fail(std::move(lists.error()));

    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    any_filter& filter = update->filter();
    if (!filter.can(capability::erase)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: a {} filter cannot remove keys; kinds that can: {}", flags.path, filter.kind(),
                                names_of_kinds_that_can(capability::erase)));
    }
    const auto format = flags.keys.format_for(flags.path, update->file().keys);
    if (!format) return fail(format.error());
    const measurement before = filter.measure();
    greet_terminal(*files);
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode()};
    removal going(filter, flags.output.as_json ? removal::printing::verdicts : removal::printing::nothing);
    auto done =
        hash_keys(stream, update->file().hasher(), stopper.wish(), [&](const auto& keys) { return going.take(keys); });
    if (!done) return fail(std::move(done.error()));
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    const bool changed = going.tally().successes() != 0;
    if (changed) {
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    if (auto told = report(flags, going.tally(), before.stranger_risk.value_or(before.fpr)); !told)
        return fail(std::move(told.error()));
    return changed ? exit_done : exit_nothing;
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
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
