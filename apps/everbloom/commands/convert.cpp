// convert: imports `.bloom` files of DCSO's program, and exports filters created with its hash as `.bloom` files.
#include "commands/commands.hpp"
#include "commands/convert/conversion.hpp"
#include "filters/filter_argument.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_files.hpp"
#include "output/message.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/dcso_note.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <memory>

namespace everbloom::cli {
namespace {

constexpr std::string_view to_everbloom = "eb";
constexpr std::string_view to_bloom = "bloom";
constexpr std::string_view to_bloom_gzip = "bloom.gz";

struct convert_flags {
    std::string from;
    std::string to;
    std::string format; // empty: by the ending of `to`
    bool force = false;
    summary_flags output;
};

result<std::string> format_of(const convert_flags& flags) {
    if (!flags.format.empty()) return flags.format;
    for (const std::string_view ending : {to_bloom_gzip, to_bloom, to_everbloom}) {
        if (flags.to.ends_with("." + std::string(ending))) return std::string(ending);
    }
    return fail(failure_reason::bad_parameter,
                flags.to + ": unknown output format; use a name that ends in .eb, .bloom or .bloom.gz, or --to");
}

/// The figures to report, for either direction.
struct converted {
    dcso_header header;
    std::uint64_t data_bytes = 0;
    double fpr_now = 0;
};

void warn_of_power_of_two(const std::string& path, const converted& made) {
    if (!std::has_single_bit(made.header.bits)) return;
    say("everbloom: {}: warning: its size of {} bits is a power of two, which raises the FPR with the hash of .bloom "
        "files: "
        "the current FPR is {}, the target FPR {}\n",
        path, grouped(made.header.bits), rate_text(made.fpr_now), rate_text(made.header.planned_fpr));
}

void report(const convert_flags& flags, const std::string& format, const converted& made) {
    const dcso_header& header = made.header;
    if (flags.output.as_json) {
        print_document({{"from", flags.from},
                        {"to", flags.to},
                        {"format", format},
                        {"bits", header.bits},
                        {"hashes", header.hashes},
                        {"items", header.items},
                        {"agreed", to_json(capacity_target{header.planned_items, header.planned_fpr})},
                        {"fpr_current", made.fpr_now},
                        {"data_bytes", made.data_bytes},
                        {"power_of_two", std::has_single_bit(header.bits)}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}, {}, {}, current FPR {} (capacity: {}){}\n", flags.to, counted(header.items, "key"),
                   size_text((header.bits + 7) / 8, static_cast<double>(header.items)),
                   counted(header.hashes, "hash function"), rate_text(made.fpr_now),
                   capacity_text({header.planned_items, header.planned_fpr}),
                   made.data_bytes == 0 ? "" : ", with " + counted(made.data_bytes, "byte") + " of attached data");
    }
}

result<converted> bloom_to_everbloom(const convert_flags& flags, interruption& stopper, output_file& update) {
    auto from = read_dcso(flags.from, stopper.cancel());
    if (!from) {
        if (!looks_like_dcso(flags.from, stopper.cancel())) {
            from.error().sentence += "; it looks like " + look_in_words(flags.from);
        }
        return fail(std::move(from.error()));
    }
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    if (auto prepared = prepare_everbloom(*from, update); !prepared) return fail(std::move(prepared.error()));
    from->words = {};                                // before the new file takes their place in memory
    const auto made = map_filter(update.prepared()); // checks the new file as any later command will
    if (!made) return fail(made.error());
    return converted{from->header, from->data.size(), made->filter().measure().fpr};
}

result<converted> everbloom_to_bloom(const convert_flags& flags, const std::string& format, interruption& stopper,
                                     output_file& update) {
    const auto from = map_filter_argument(flags.from);
    if (!from) return fail(from.error());
    const auto header = header_with_advice(*from);
    if (!header) return fail(in(flags.from, header.error()));
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    const auto how = format == to_bloom_gzip ? packing::gzip : packing::plain;
    if (auto prepared = prepare_dcso(*from, *header, how, update); !prepared) {
        return fail(std::move(prepared.error()));
    }
    const auto note = dcso_note::parse(from->attached);
    return converted{*header, note ? note->data.size() : 0, from->filter().measure().fpr};
}

result<int> run_convert(const convert_flags& flags) {
    const auto format = format_of(flags);
    if (!format) return fail(format.error());
    if (::access(flags.from.c_str(), R_OK) != 0) return fail(unreadable(flags.from));
    if (struct stat found{}; ::stat(flags.from.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
        return fail(failure_reason::input_output, flags.from + ": is a directory; name a file");
    }
    const bool from_ours = looks_like_filter(flags.from);
    if (from_ours == (*format == to_everbloom)) {
        const cancellation never;
        if (!from_ours && !looks_like_dcso(flags.from, never)) {
            if (auto filter = refuse_non_filter(flags.from); !filter) return fail(std::move(filter.error()));
        }
        return fail(failure_reason::bad_parameter,
                    flags.from + (from_ours ? ": is an everbloom filter already; name a .bloom file as OUT"
                                            : ": is not an everbloom filter; name an .eb file as OUT"));
    }
    interruption stopper;
    auto update = output_file::begin(flags.to, std::span(&flags.from, 1));
    if (!update) return fail(std::move(update.error()));
    if (from_ours ? !looks_like_dcso(flags.to, stopper.cancel()) : true) {
        if (auto ours = refuse_foreign_output(flags.to); !ours) return fail(std::move(ours.error()));
    }
    struct stat there {};
    if (!flags.force && ::lstat(flags.to.c_str(), &there) == 0) {
        return fail(failure_reason::bad_parameter, flags.to + ": already exists; --force replaces it");
    }
    const auto made =
        from_ours ? everbloom_to_bloom(flags, *format, stopper, *update) : bloom_to_everbloom(flags, stopper, *update);
    if (!made) return fail(made.error());
    if (auto published = update->publish(); !published) return fail(std::move(published.error()));
    warn_of_power_of_two(flags.from, *made);
    report(flags, *format, *made);
    return exit_done;
}

} // namespace

void declare_convert(command_line& line) {
    auto flags = std::make_shared<convert_flags>();
    command_flags command = line.add("convert", "Convert .bloom files of DCSO's program to filters, and back",
                                     "everbloom create --kind bloom --hash dcso names.eb names.txt && "
                                     "everbloom convert names.eb names.bloom\n"
                                     "everbloom convert names.bloom back.eb && everbloom check back.eb names.txt",
                                     [flags] { return run_convert(*flags); });
    command.add_option("IN", flags->from, "a .bloom file, plain or compressed, or a filter created with --hash dcso")
        ->required()
        ->type_name("");
    command.add_option("OUT", flags->to, "the new file; its ending is the format: .eb, .bloom or .bloom.gz")
        ->required()
        ->type_name("");
    command.add_option("--to", flags->format, "format of OUT, if its ending is another one: eb, bloom or bloom.gz")
        ->type_name("FORMAT")
        ->one_of({std::string(to_everbloom), std::string(to_bloom), std::string(to_bloom_gzip)});
    command.add_flag("--force", flags->force, "replace OUT if it is a filter, a .bloom file, or empty");
    flags->output.declare(command);
}

} // namespace everbloom::cli
