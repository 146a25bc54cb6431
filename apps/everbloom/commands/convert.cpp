// convert: filters of other programs to ours and back where the bits stay the same, and lists of keys to filters of other programs.
#include "commands/commands.hpp"
#include "commands/convert/conversion.hpp"
#include "commands/convert/gzip_bytes.hpp"
#include "commands/convert/input.hpp"
#include "commands/convert/keys_to_foreign.hpp"
#include "commands/convert/losses.hpp"
#include "commands/convert/output_format.hpp"
#include "commands/convert/report.hpp"
#include "filters/filter_argument.hpp"
#include "filters/foreign_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_files.hpp"
#include "keys/key_flags.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/dcso_note.hpp>

#include <sys/stat.h>

#include <array>
#include <bit>
#include <memory>

namespace everbloom::cli {
namespace {

constexpr double default_fpr = 0.001; // as `create`

struct convert_flags {
    std::string in;
    std::string out;
    std::string to; // empty: by the ending of `out`
    std::string from;
    std::optional<std::string> capacity;
    std::optional<std::string> fpr;
    bool force = false;
    bool overfill = false;
    key_flags keys;
    summary_flags output;
};

result<converted> bloom_to_everbloom(const convert_flags& flags, interruption& stopper, output_file& update) {
    auto from = read_dcso(flags.in, stopper.cancel());
    if (!from) {
        if (!looks_like_dcso(flags.in, stopper.cancel())) {
            from.error().sentence += "; it looks like " + look_in_words(flags.in);
            if (looks_like_list(flags.in)) from.error().sentence += ", of which 'everbloom create' makes a filter";
        }
        return fail(std::move(from.error()));
    }
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    if (auto prepared = prepare_everbloom(*from, update); !prepared) return fail(std::move(prepared.error()));
    from->words = {};                                // before the new file takes their place in memory
    const auto made = map_filter(update.prepared()); // checks the new file as any later command will
    if (!made) return fail(made.error());
    return figures_of(from->header, from->data.size(), made->filter().measure().fpr);
}

result<converted> everbloom_to_bloom(const convert_flags& flags, const output_format& format, interruption& stopper,
                                     output_file& update) {
    const auto from = map_filter_argument(flags.in);
    if (!from) return fail(from.error());
    const auto header = header_with_advice(*from);
    if (!header) return fail(in(flags.in, header.error()));
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    const auto how = format.gzip ? packing::gzip : packing::plain;
    if (auto prepared = prepare_dcso(*from, *header, how, update); !prepared) {
        return fail(std::move(prepared.error()));
    }
    const auto note = dcso_note::parse(from->attached);
    converted made = figures_of(*header, note ? note->data.size() : 0, from->filter().measure().fpr);
    made.lost = losses_of_filter();
    return made;
}

result<void> prepare_foreign(const foreign_filter& filter, const output_format& format, output_file& update) {
    std::vector<std::byte> bytes = filter.write_as(*format.foreign);
    std::array<std::span<const std::byte>, 1> pieces{bytes};
    if (format.gzip) {
        bytes = gzip_bytes(pieces);
        pieces[0] = bytes;
    }
    return update.prepare(pieces);
}

/// The same bits in the same format: compressed or not, with or without a header.
result<converted> foreign_to_foreign(const convert_flags& flags, foreign_format from, const output_format& format,
                                     interruption& stopper, output_file& update) {
    const auto filter = read_foreign(flags.in, from, stopper.cancel());
    if (!filter) return fail(filter.error());
    if (const auto* guava = filter->as<guava_file>(); guava != nullptr && guava->how() != format.strategy) {
        return fail(failure_reason::unsupported,
                    flags.in + ": " + why_not(foreign_format::guava, "the other strategy of Guava"));
    }
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    if (auto prepared = prepare_foreign(*filter, format, update); !prepared) return fail(std::move(prepared.error()));
    converted made = figures_of(*filter);
    made.lost = losses_between(from, *format.foreign);
    return made;
}

result<foreign_plan> plan_of(const convert_flags& flags, const output_format& format) {
    foreign_plan made{*format.foreign, format.strategy, {}, default_fpr};
    if (flags.capacity) {
        const auto items = size_of_flag("--capacity", *flags.capacity);
        if (!items) return fail(items.error());
        if (*items == 0) return fail(failure_reason::bad_parameter, "--capacity: must be at least 1");
        made.capacity = *items;
    }
    if (flags.fpr) {
        const auto fpr = rate_of_flag("--fpr", *flags.fpr);
        if (!fpr) return fail(fpr.error());
        if (!(*fpr > 0) || !(*fpr < 1)) {
            return fail(failure_reason::bad_parameter,
                        "--fpr: '" + *flags.fpr + "' must lie between 0 and 1, for example 0.001, 0.1% or 1/1000");
        }
        made.fpr = *fpr;
    }
    return made;
}

result<converted> keys_to_foreign(const convert_flags& flags, const output_format& format, interruption& stopper,
                                  output_file& update) {
    const auto plan = plan_of(flags, format);
    if (!plan) return fail(plan.error());
    const auto keys = flags.keys.format();
    if (!keys) return fail(keys.error());
    if (keys->type == key_type::cidr) {
        return fail(failure_reason::unsupported,
                    "--key-type cidr: " + std::string(words_of(*format.foreign)) +
                        " has no place for the prefix lengths of networks; 'everbloom create' makes a filter that has");
    }
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    auto files = flags.keys.find({flags.in});
    if (!files) return fail(std::move(files.error()));
    skipped_lines skipped(flags.output.progress_mode());
    const key_stream stream{std::move(*files), *keys, *threads, flags.output.progress_mode(), &skipped};
    const auto filled = fill_foreign(*plan, stream, stopper.cancel());
    if (!filled) return fail(filled.error());
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    skipped.report();
    converted made = figures_of(filled->filter);
    made.target = {filled->capacity, plan->fpr};
    measurement now;
    now.items = static_cast<double>(made.items);
    now.fpr = made.fpr_now;
    if (!flags.overfill && exceeds(now, made.target)) {
        failure over = over_capacity("with " + counted(filled->keys, "key"), now, made.target);
        over.sentence += "; nothing was written; --overfill accepts that";
        return fail(in(flags.out, std::move(over)));
    }
    if (auto prepared = prepare_foreign(filled->filter, format, update); !prepared) {
        return fail(std::move(prepared.error()));
    }
    // These files do not say how many keys they have; a .bloom file counts those that were new.
    if (*format.foreign != foreign_format::dcso) made.items = filled->keys;
    made.lost = losses_of_keys(*format.foreign);
    return made;
}

/// A file that is replaced by --force must be a filter, of whichever program.
result<void> check_output(const convert_flags& flags) {
    if (!foreign_format_of(flags.out)) {
        if (auto ours = refuse_foreign_output(flags.out); !ours) return fail(std::move(ours.error()));
    }
    struct stat there {};
    if (!flags.force && ::lstat(flags.out.c_str(), &there) == 0) {
        return fail(failure_reason::bad_parameter, flags.out + ": already exists; --force replaces it");
    }
    return {};
}

result<converted> convert(const convert_flags& flags, const conversion_input& from, const output_format& format,
                          interruption& stopper, output_file& update) {
    if (from.ours) return everbloom_to_bloom(flags, format, stopper, update);
    if (!format.foreign) return bloom_to_everbloom(flags, stopper, update);
    if (from.foreign) return foreign_to_foreign(flags, *from.foreign, format, stopper, update);
    return keys_to_foreign(flags, format, stopper, update);
}

result<int> run_convert(const convert_flags& flags) {
    const auto format = output_format_for(flags.to, flags.out);
    if (!format) return fail(format.error());
    const auto from = conversion_input::find(flags.in, flags.from);
    if (!from) return fail(from.error());
    if (!from->keys && (flags.capacity || flags.fpr || flags.overfill)) {
        return fail(failure_reason::bad_parameter, "--capacity, --fpr and --overfill are for lists of keys; " +
                                                       flags.in + " is a filter of fixed size");
    }
    if (auto possible = check_pair(flags.in, *from, *format, flags.out); !possible)
        return fail(std::move(possible.error()));
    interruption stopper;
    // Filters of other programs have no secret: as other programs write them.
    auto update = output_file::begin(flags.out, std::span(&flags.in, 1),
                                     format->foreign && !from->ours ? readers::by_umask : readers::owner_only);
    if (!update) return fail(std::move(update.error()));
    if (auto free = check_output(flags); !free) return fail(std::move(free.error()));
    const auto made = convert(flags, *from, *format, stopper, *update);
    if (!made) return fail(made.error());
    if (auto published = update->publish(); !published) return fail(std::move(published.error()));
    const bool is_bloom = from->foreign == foreign_format::dcso;
    if (is_bloom && std::has_single_bit(made->bits)) warn_of_power_of_two(flags.in, *made);
    report_conversion(flags.output, {flags.in, flags.out, format->name}, *made);
    return exit_done;
}

} // namespace

void declare_convert(command_line& line) {
    auto flags = std::make_shared<convert_flags>();
    command_flags command = line.add(
        "convert", "Convert filters of other programs, and write them from keys",
        "everbloom convert names.txt names.bloom && everbloom convert names.bloom names.eb\n"
        "everbloom convert names.txt names.guava --capacity 1M --fpr 1% && everbloom check names.guava -e anna",
        [flags] { return run_convert(*flags); });
    command
        .add_option("IN", flags->in,
                    "a filter of DCSO's program bloom, Guava, Parquet or RedisBloom, plain or compressed; a filter "
                    "created with --hash dcso; or a list of keys ('-': standard input)")
        ->required()
        ->type_name("");
    command
        .add_option(
            "OUT", flags->out,
            "the new file; its ending is the format: .eb, .bloom, .bloom.gz, .guava, .sbbf (Parquet), .scandump "
            "(RedisBloom)")
        ->required()
        ->type_name("");
    command
        .add_option("--to", flags->to,
                    "format of OUT, if its ending is another one: eb, bloom, bloom.gz, guava, guava32 (the strategy "
                    "MURMUR128_MITZ_32), parquet, parquet-bitset (without its header) or redisbloom")
        ->type_name("FORMAT")
        ->one_of(names_of_output_formats());
    command
        .add_option(
            "--from", flags->from,
            "what IN is, if its content does not tell: bloom, guava, parquet, redisbloom, parquet-bitset (which "
            "has no header to recognise), or keys")
        ->type_name("FORMAT")
        ->one_of(names_of_inputs());
    command.add_flag("--force", flags->force, "replace OUT if it is a filter, of any of these programs, or empty");
    constexpr const char* size = "Size, for keys";
    command
        .add_option("--capacity", flags->capacity,
                    "how many keys it is to hold at the target FPR (default: the number of keys read)")
        ->type_name("N")
        ->group(size);
    command
        .add_option("--fpr", flags->fpr, "target false positive rate at the capacity: 0.001 (default), 0.1% or 1/1000")
        ->type_name("RATE")
        ->group(size);
    command.add_flag("--overfill", flags->overfill, "accept more keys than the target FPR allows")->group(size);
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
