// export: a smaller copy of a filter for programs that only ask, without the keys. The library does the work (jobs/query_copy.hpp).
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "filters/kind_names.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/output_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/query_copy.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>
#include <span>

namespace everbloom::cli {
namespace {

struct export_flags {
    std::string from;
    std::string to;
    std::string fpr;
    std::string kind;
    bool force = false;
    summary_flags output;
};

/// That of the flag, else the target FPR of the filter.
result<double> fpr_of(const export_flags& flags, const filter_file& source) {
    if (!flags.fpr.empty()) return rate_of_flag("--fpr", flags.fpr);
    if (source.target.items != 0) return source.target.fpr;
    return fail(failure_reason::bad_parameter,
                flags.from + ": has no target FPR; say which one the copy is to have: --fpr RATE");
}

void report(const export_flags& flags, std::uint64_t old_bytes, const filter_file& made) {
    const measurement now = made.filter().measure();
    if (flags.output.as_json) {
        print_document({{"from", flags.from},
                        {"file", flags.to},
                        {"kind", made.filter().kind()},
                        {"bytes_before", old_bytes},
                        {"bytes", saved_bytes(made)},
                        {"items", made.target.items},
                        {"fpr_current", now.fpr},
                        {"geometry", to_json(made.filter().geometry())},
                        {"agreed", to_json(made.target)}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {} -> {}, kind {}, current FPR {} with {}\n", flags.to, bytes_text(old_bytes),
                   size_text(saved_bytes(made), static_cast<double>(made.target.items)), made.filter().kind(),
                   rate_text(now.fpr), counted(made.target.items, "key"));
    }
}

result<int> run_export(const export_flags& flags) {
    interruption stopper;
    auto update = output_file::begin(flags.to, std::span(&flags.from, 1));
    if (!update) return fail(std::move(update.error()));
    if (auto ours = refuse_foreign_output(flags.to); !ours) return fail(std::move(ours.error()));
    struct stat there {};
    if (!flags.force && ::lstat(flags.to.c_str(), &there) == 0) {
        return fail(failure_reason::bad_parameter, flags.to + ": already exists; --force replaces it");
    }
    const auto source = map_filter_argument(flags.from);
    if (!source) return fail(source.error());
    if (!source->filter().can(capability::query_copy)) {
        return fail(
            failure_reason::unsupported,
            fmt::format("{}: {} filter keeps too little of its keys' hashes for a smaller copy; kinds that keep "
                        "enough: {}",
                        flags.from, with_article(source->filter().kind()),
                        names_of_kinds_that_can(capability::query_copy)));
    }
    const auto fpr = fpr_of(flags, *source);
    if (!fpr) return fail(fpr.error());
    auto made = query_copy_of(*source, *fpr, flags.kind);
    if (!made) return fail(in(flags.from, made.error()));
    noted_lengths(*source).attach_to(*made);
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    if (auto saved = update->save(*made); !saved) return fail(std::move(saved.error()));
    report(flags, saved_bytes(*source), *made);
    return exit_done;
}

} // namespace

void declare_export(command_line& line) {
    auto flags = std::make_shared<export_flags>();
    command_flags command =
        line.add("export", "Make a smaller copy for programs that only ask, without the keys",
                 "everbloom create names.eb names.txt && everbloom export names.eb small.eb --fpr 1%\n"
                 "everbloom create --kind elastic_blocked all.eb names.txt && everbloom export all.eb "
                 "bits.eb --fpr 0.1% && everbloom check bits.eb names.txt",
                 [flags] { return run_export(*flags); });
    command.add_option("FILE", flags->from, "the filter")->required()->type_name("");
    command.add_option("OUT", flags->to, "the copy; it answers for the same keys")->required()->type_name("");
    command.add_option("--fpr", flags->fpr, "FPR of the copy (default: the target FPR of the filter)")
        ->type_name("RATE");
    command
        .add_option("--kind", flags->kind,
                    "kind of the copy: fuse, which only answers, or one that can be merged: quotient of a quotient "
                    "filter, bloom of elastic_blocked (default: the smallest one, mostly fuse)")
        ->type_name("KIND")
        ->suggests({"fuse", "quotient", "bloom"});
    command.add_flag("--force", flags->force, "replace OUT if it is a filter or empty");
    flags->output.declare(command);
}

} // namespace everbloom::cli
