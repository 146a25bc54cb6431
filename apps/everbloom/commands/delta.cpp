// delta: writes what changed from one filter file to another, for copies of the filter elsewhere. `apply` turns the old one into the new.
#include "commands/commands.hpp"
#include "commands/delta/patch_file.hpp"
#include "commands/sync/list_file.hpp"
#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"
#include "filters/whole_file.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/jobs/list_facts.hpp>

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

namespace everbloom::cli {
namespace {

struct delta_flags {
    std::string from;
    std::string to;
    std::string patch;
    summary_flags output;
};

/// An intact filter, and the bytes of its file.
struct filter_and_bytes {
    filter_file file;
    std::vector<std::byte> bytes;
};

result<filter_and_bytes> read_both(const std::string& path) {
    auto file = map_filter_argument(path);
    if (!file) return fail(std::move(file.error()));
    auto bytes = read_whole_file(path, std::numeric_limits<std::uint64_t>::max());
    if (!bytes) return fail(std::move(bytes.error()));
    return filter_and_bytes{std::move(*file), std::move(*bytes)};
}

/// The list of `sync` beside the filter, if it belongs to it.
std::optional<key_list> list_of(const std::string& path, const filter_file& file, key_arena& arena,
                                const cancellation& cancel) {
    auto list = read_list(list_path_of(path), arena, cancel);
    if (!list || list->facts.identity != identity_of(file) || list->facts.type != file.keys) return std::nullopt;
    return std::move(list->keys);
}

std::vector<digest> digests_of(const key_list& keys, const filter_file& file) {
    std::vector<digest> made;
    made.reserve(keys.size());
    for (const std::string_view key : keys) {
        if (const auto bytes = key_from_text(file.keys, key)) made.push_back(file.hasher()(std::string_view(*bytes)));
    }
    return made;
}

/// The keys that left and came, as far as the lists beside both filters say.
patch_changes changes_between(const delta_flags& flags, const filter_file& from, const filter_file& to,
                              const cancellation& cancel) {
    key_arena arena;
    if (!(from.hasher() == to.hasher()) || from.keys != to.keys) return {};
    const auto before = list_of(flags.from, from, arena, cancel);
    const auto after = before ? list_of(flags.to, to, arena, cancel) : std::nullopt;
    if (!after) return {};
    const list_change change = change_between(*before, *after);
    return {digests_of(change.removed, from), digests_of(change.added, to)};
}

result<int> run_delta(const delta_flags& flags) {
    interruption stopper;
    const std::vector<std::string> inputs{flags.from, flags.to};
    // It may contain the hash key of the new filter: readable by its owner only.
    auto update = output_file::begin_other(flags.patch, inputs);
    if (!update) return fail(std::move(update.error()));
    const auto old_filter = read_both(flags.from);
    if (!old_filter) return fail(old_filter.error());
    const auto new_filter = read_both(flags.to);
    if (!new_filter) return fail(new_filter.error());
    const auto* const from = &old_filter->bytes;
    const auto* const to = &new_filter->bytes;
    const auto made =
        write_patch(*from, *to, changes_between(flags, old_filter->file, new_filter->file, stopper.cancel()));
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
                 "everbloom sync x.eb names.txt -q --seed 1 && cp x.eb copy.eb && (cat names.txt; echo zoe) | "
                 "everbloom sync x.eb -\n"
                 "everbloom delta copy.eb x.eb today.patch && everbloom apply copy.eb today.patch && cmp x.eb copy.eb",
                 [flags] { return run_delta(*flags); });
    command.add_option("OLD", flags->from, "the filter as the copies have it")->required()->type_name("");
    command.add_option("NEW", flags->to, "the filter as it is now")->required()->type_name("");
    command.add_option("PATCH", flags->patch, "the file to be written")->required()->type_name("");
    flags->output.declare(command);
    command.before_examples(
        "\nSmaller patches:\n"
        "  A patch of a quotient or elastic_blocked filter has the changed keys, one to four bytes for each. For "
        "other\n"
        "  kinds it has hashes of the changed keys, if the lists that 'sync' keeps are beside both filters\n"
        "  (OLD.list.zst, NEW.list.zst), otherwise the changed bytes, which are more for most kinds.\n");
}

} // namespace everbloom::cli
