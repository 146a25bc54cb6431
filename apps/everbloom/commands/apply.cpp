// apply: brings a filter file up to date with a patch of `delta`. The file becomes, byte for byte, the new one that the patch was made from.
#include "commands/commands.hpp"
#include "commands/delta/patch_file.hpp"
#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"
#include "filters/whole_file.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

namespace everbloom::cli {
namespace {

struct apply_flags {
    std::string path;
    std::string patch;
    std::optional<std::string> out;
    summary_flags output;
};

void report(const apply_flags& flags, const std::string& written, std::uint64_t bytes, bool changed) {
    if (flags.output.as_json) {
        print_document({{"file", written}, {"bytes", bytes}, {"changed", changed}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}, {}\n", written, changed ? "updated" : "is up to date already", bytes_text(bytes));
    }
}

result<int> run_apply(const apply_flags& flags) {
    const std::string target = flags.out.value_or(flags.path);
    interruption stopper;
    std::vector<std::string> inputs{flags.patch};
    if (flags.out) inputs.push_back(flags.path);
    if (auto ours = refuse_non_filter(flags.path); !ours) return fail(std::move(ours.error()));
    if (auto ours = refuse_foreign_output(target); !ours) return fail(std::move(ours.error()));
    auto update = output_file::begin(target, inputs);
    if (!update) return fail(std::move(update.error()));
    if (auto intact = map_filter_argument(flags.path); !intact) return fail(std::move(intact.error()));
    constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    const auto from = read_whole_file(flags.path, no_limit);
    if (!from) return fail(from.error());
    const auto packed = read_whole_file(flags.patch, no_limit);
    if (!packed) return fail(packed.error());
    const auto patch = parse_patch(flags.patch, *packed, from->size());
    if (!patch) return fail(patch.error());
    // A nightly job may run twice.
    const bool is_done = file_print::of(*from) == patch->header.to;
    if (is_done && !flags.out) {
        report(flags, target, from->size(), false);
        return exit_done;
    }
    const auto made = is_done ? from : apply_patch(patch->header, *from, patch->body);
    if (!made) {
        const bool is_other = made.error().reason == failure_reason::mismatch;
        return fail(in(is_other ? flags.path : flags.patch, made.error()));
    }
    if (auto valid = read_filter(*made); !valid) return fail(in(flags.patch, std::move(valid.error())));
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    const std::span<const std::byte> piece(*made);
    if (auto saved = update->commit(std::span(&piece, 1)); !saved) return fail(std::move(saved.error()));
    report(flags, target, made->size(), true);
    return exit_done;
}

} // namespace

void declare_apply(command_line& line) {
    auto flags = std::make_shared<apply_flags>();
    command_flags command =
        line.add("apply", "Update a filter file with a patch of 'delta'",
                 "everbloom create a.eb names.txt --seed 1 -q && everbloom create b.eb --like a.eb -q < /dev/null\n"
                 "everbloom delta a.eb b.eb ab.patch -q && everbloom apply a.eb ab.patch --out c.eb",
                 [flags] { return run_apply(*flags); });
    command.add_option("FILE", flags->path, "the filter that the patch was made for; replaced by the new one")
        ->required()
        ->type_name("");
    command.add_option("PATCH", flags->patch, "a patch made by 'everbloom delta'")->required()->type_name("");
    command.add_option("--out", flags->out, "write the new filter to this file, and leave FILE as it is")
        ->type_name("NEW");
    flags->output.declare(command);
}

} // namespace everbloom::cli
