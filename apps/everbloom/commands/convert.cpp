// convert: filters of other programs to ours and back where the bits stay the same, and lists of keys to filters of other programs.
#include "commands/commands.hpp"
#include "commands/convert/conversion.hpp"
#include "commands/convert/gzip_bytes.hpp"
#include "commands/convert/keys_to_foreign.hpp"
#include "commands/convert/losses.hpp"
#include "filters/filter_argument.hpp"
#include "filters/foreign_file.hpp"
#include "filters/foreign_portrait.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_files.hpp"
#include "keys/key_flags.hpp"
#include "output/message.hpp"
#include "output/wording.hpp"

#include <everbloom/format/lookalike.hpp>
#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/dcso_note.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <memory>

namespace everbloom::cli {
namespace {

/// A format of OUT: the word of --to, and the ending of a name that means it.
struct output_format {
    std::string_view name;
    std::string_view ending;
    std::optional<foreign_format> foreign; // none: ours
    bool gzip = false;
    guava_file::strategy strategy = guava_file::strategy::mitz_64;
};

constexpr std::array<output_format, 8> output_formats{
    {{"eb", ".eb", std::nullopt},
     {"bloom.gz", ".bloom.gz", foreign_format::dcso, true},
     {"bloom", ".bloom", foreign_format::dcso},
     {"guava", ".guava", foreign_format::guava},
     {"guava32", "", foreign_format::guava, false, guava_file::strategy::mitz_32},
     {"parquet", ".sbbf", foreign_format::parquet},
     {"parquet-bitset", "", foreign_format::parquet_bitset},
     {"redisbloom", ".scandump", foreign_format::redisbloom}}};

constexpr std::string_view from_keys = "keys";
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

result<output_format> format_of(const convert_flags& flags) {
    for (const output_format& one : output_formats) {
        if (flags.to.empty() ? !one.ending.empty() && flags.out.ends_with(one.ending) : flags.to == one.name) return one;
    }
    return fail(failure_reason::bad_parameter,
                flags.out + ": unknown output format; use a name that ends in .eb, .bloom, .bloom.gz, .guava, .sbbf "
                            "(Parquet) or .scandump, or --to");
}

/// The figures to report.
struct converted {
    std::uint64_t items = 0;
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    capacity_target target;
    double fpr_now = 0;
    std::uint64_t data_bytes = 0;
    std::vector<std::string> lost = {};
};

converted figures_of(const dcso_header& header, std::uint64_t data_bytes, double fpr_now) {
    return {header.items,   header.bits, header.hashes, {header.planned_items, header.planned_fpr}, fpr_now,
            data_bytes};
}

converted figures_of(const foreign_filter& filter) {
    const foreign_facts facts = filter.facts();
    converted made;
    made.items = facts.stated_items.value_or(static_cast<std::uint64_t>(facts.items + 0.5));
    made.bits = facts.bits;
    made.target = {facts.capacity, facts.target_fpr};
    made.fpr_now = facts.fpr;
    if (const auto* file = filter.as<dcso_bits>()) {
        made.hashes = file->file().header.hashes;
        made.data_bytes = file->file().data.size();
    }
    if (const auto* file = filter.as<guava_file>()) made.hashes = file->hashes();
    if (filter.as<parquet_bloom>() != nullptr) made.hashes = parquet_bloom::words_per_block;
    if (const auto* dump = filter.as<redisbloom_dump>()) made.hashes = dump->header().links.back().hashes;
    return made;
}

void warn_of_power_of_two(const std::string& path, const converted& made) {
    say("everbloom: {}: warning: its size of {} bits is a power of two, which raises the FPR with the hash of .bloom "
        "files: "
        "the current FPR is {}, the target FPR {}\n",
        path, grouped(made.bits), rate_text(made.fpr_now), rate_text(made.target.fpr));
}

void report(const convert_flags& flags, std::string_view format, const converted& made) {
    if (flags.output.as_json) {
        print_document({{"from", flags.in},
                        {"to", flags.out},
                        {"format", format},
                        {"bits", made.bits},
                        {"hashes", made.hashes},
                        {"items", made.items},
                        {"agreed", to_json(made.target)},
                        {"fpr_current", made.fpr_now},
                        {"data_bytes", made.data_bytes},
                        {"power_of_two", std::has_single_bit(made.bits)},
                        {"lost", made.lost}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {}, {}, {}, current FPR {} (capacity: {}){}\n", flags.out, counted(made.items, "key"),
                   size_text((made.bits + 7) / 8, static_cast<double>(made.items)),
                   counted(made.hashes, "hash function"), rate_text(made.fpr_now), capacity_text(made.target),
                   made.data_bytes == 0 ? "" : ", with " + counted(made.data_bytes, "byte") + " of attached data");
        std::string lost;
        for (const std::string& one : made.lost) lost += (lost.empty() ? "" : ", ") + one;
        if (!lost.empty()) fmt::print("  this format has no place for: {}\n", lost);
    }
}

/// Is it text, also after decompression? Bytes of another format must not become keys by mistake.
bool looks_like_list(const std::string& path) {
    const cancellation never;
    auto bytes = open_bytes(path, decompressed_only, never);
    if (!bytes) return false;
    std::array<char, 512> start{};
    const auto got = (*bytes)->read(start);
    return got && *got != 0 && lookalike_of(std::as_bytes(std::span(start).first(*got))) == lookalike::text;
}

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
    made.lost = losses_of_keys(*format.foreign);
    return made;
}

/// What IN is: an everbloom filter, a filter of another program, or a list of keys.
struct input {
    bool ours = false;
    std::optional<foreign_format> foreign;
    bool keys = false;
};

result<input> input_of(const convert_flags& flags) {
    if (flags.in == "-" || flags.from == from_keys) return input{.foreign = {}, .keys = true};
    if (::access(flags.in.c_str(), R_OK) != 0) return fail(unreadable(flags.in));
    struct stat found {};
    if (::stat(flags.in.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
        return fail(failure_reason::input_output, flags.in + ": is a directory; name a file");
    }
    if (const auto named = foreign_format_named(flags.from)) return input{.foreign = named};
    if (looks_like_filter(flags.in)) return input{.ours = true, .foreign = {}};
    if (const auto format = foreign_format_of(flags.in)) return input{.foreign = format};
    return input{.foreign = {}, .keys = S_ISREG(found.st_mode) && looks_like_list(flags.in)};
}

result<void> check_pair(const convert_flags& flags, const input& from, const output_format& format) {
    const auto refuse = [&](const std::string& why) {
        return fail(failure_reason::bad_parameter, display_name(flags.in) + ": " + why);
    };
    if (from.ours) {
        if (!format.foreign) return refuse("is an everbloom filter already; name a .bloom file as OUT");
        if (*format.foreign == foreign_format::dcso) return {};
        return refuse(fmt::format("is an everbloom filter: its cells cannot become those of {}, which has another hash "
                                  "and other places for the bits of a key; with the keys, 'everbloom convert KEYS {}' "
                                  "makes one",
                                  words_of(*format.foreign), shell_word(flags.out)));
    }
    if (from.foreign) {
        if (!format.foreign) {
            return *from.foreign == foreign_format::dcso ? result<void>()
                                                         : refuse(why_not(*from.foreign, "an everbloom filter"));
        }
        const auto family = [](foreign_format one) {
            return one == foreign_format::parquet_bitset ? foreign_format::parquet : one;
        };
        if (family(*from.foreign) == family(*format.foreign)) return {};
        return refuse(why_not(*from.foreign, words_of(*format.foreign)));
    }
    if (from.keys && format.foreign) {
        if (*format.foreign != foreign_format::redisbloom) return {};
        return refuse("dumps of RedisBloom are read, not written; the Redis module of everbloom has its commands");
    }
    if (!format.foreign) return {}; // read as a .bloom file, whose reader says what is wrong
    if (auto filter = refuse_non_filter(flags.in); !filter) return fail(std::move(filter.error()));
    return refuse("is neither a filter nor a list of keys");
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

result<converted> convert(const convert_flags& flags, const input& from, const output_format& format,
                          interruption& stopper, output_file& update) {
    if (from.ours) return everbloom_to_bloom(flags, format, stopper, update);
    if (!format.foreign) return bloom_to_everbloom(flags, stopper, update);
    if (from.foreign) return foreign_to_foreign(flags, *from.foreign, format, stopper, update);
    return keys_to_foreign(flags, format, stopper, update);
}

result<int> run_convert(const convert_flags& flags) {
    const auto format = format_of(flags);
    if (!format) return fail(format.error());
    const auto from = input_of(flags);
    if (!from) return fail(from.error());
    if (auto possible = check_pair(flags, *from, *format); !possible) return fail(std::move(possible.error()));
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
    report(flags, format->name, *made);
    return exit_done;
}

std::vector<std::string> names_of_outputs() {
    std::vector<std::string> names;
    for (const output_format& one : output_formats) names.emplace_back(one.name);
    return names;
}

std::vector<std::string> names_of_inputs() {
    std::vector<std::string> names;
    for (const foreign_format one : known_foreign_formats) names.emplace_back(name_of(one));
    names.emplace_back(from_keys);
    return names;
}

} // namespace

void declare_convert(command_line& line) {
    auto flags = std::make_shared<convert_flags>();
    command_flags command =
        line.add("convert", "Convert filters of other programs, and write them from keys",
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
        .add_option("OUT", flags->out,
                    "the new file; its ending is the format: .eb, .bloom, .bloom.gz, .guava, .sbbf (Parquet), .scandump "
                    "(RedisBloom)")
        ->required()
        ->type_name("");
    command
        .add_option("--to", flags->to,
                    "format of OUT, if its ending is another one: eb, bloom, bloom.gz, guava, guava32 (the strategy "
                    "MURMUR128_MITZ_32), parquet, parquet-bitset (without its header) or redisbloom")
        ->type_name("FORMAT")
        ->one_of(names_of_outputs());
    command
        .add_option("--from", flags->from,
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
    command.add_option("--fpr", flags->fpr, "target false positive rate at the capacity: 0.001 (default), 0.1% or 1/1000")
        ->type_name("RATE")
        ->group(size);
    command.add_flag("--overfill", flags->overfill, "accept more keys than the target FPR allows")->group(size);
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
