// delta: writes what changed from one filter file to another, for copies of the filter elsewhere. `apply` turns the old one into the new.
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

namespace everbloom::cli {
namespace {

struct delta_flags {
    std::string from;
    std::string to;
    std::string patch;
    summary_flags output;
};

/// The bytes of an intact filter.
result<std::vector<std::byte>> bytes_of_filter(const std::string& path) {
    if (auto intact = map_filter_argument(path); !intact) return fail(std::move(intact.error()));
    return read_whole_file(path, std::numeric_limits<std::uint64_t>::max());
}

result<int> run_delta(const delta_flags& flags) {
    interruption stopper;
    const std::vector<std::string> inputs{flags.from, flags.to};
    // It may contain the hash key of the new filter: readable by its owner only.
    auto update = output_file::begin_other(flags.patch, inputs);
    if (!update) return fail(std::move(update.error()));
    const auto from = bytes_of_filter(flags.from);
    if (!from) return fail(from.error());
    const auto to = bytes_of_filter(flags.to);
    if (!to) return fail(to.error());
    const auto made = write_patch(*from, *to);
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    const std::span<const std::byte> piece(made);
    if (auto saved = update->commit(std::span(&piece, 1)); !saved) return fail(std::move(saved.error()));
    const double share = static_cast<double>(made.size()) / static_cast<double>(to->size());
    if (flags.output.as_json) {
        print_document({{"from", flags.from},
                        {"to", flags.to},
                        {"patch", flags.patch},
                        {"from_bytes", from->size()},
                        {"to_bytes", to->size()},
                        {"patch_bytes", made.size()}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}, {:.1f} % of {} ({})\n", flags.patch, bytes_text(made.size()), 100 * share, flags.to,
                   bytes_text(to->size()));
        constexpr double is_large = 0.5;
        if (share > is_large && from->size() > 4096) {
            fmt::print("most of the file changed: the filter was rebuilt or resized, or has another hash key\n");
        }
    }
    return exit_done;
}

} // namespace

void declare_delta(command_line& line) {
    auto flags = std::make_shared<delta_flags>();
    command_flags command =
        line.add("delta", "Write the difference of two filter files, to update copies of the old one",
                 "everbloom sync x.eb names.txt -q && cp x.eb copy.eb && (cat names.txt; echo zoe) | everbloom sync x.eb -\n"
                 "everbloom delta copy.eb x.eb today.patch && everbloom apply copy.eb today.patch && cmp x.eb copy.eb",
                 [flags] { return run_delta(*flags); });
    command.add_option("OLD", flags->from, "the filter as the copies have it")->required()->type_name("");
    command.add_option("NEW", flags->to, "the filter as it is now")->required()->type_name("");
    command.add_option("PATCH", flags->patch, "the file to be written")->required()->type_name("");
    flags->output.declare(command);
}

} // namespace everbloom::cli
