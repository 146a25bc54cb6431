// uniq: prints the first occurrence of every key of a stream; memory is proportional to the number of distinct keys.
#include "commands/commands.hpp"
#include "commands/uniq/key_counts.hpp"
#include "commands/uniq/key_filtering.hpp"
#include "commands/uniq/uniq_state.hpp"
#include "filters/filter_argument.hpp"
#include "filters/hasher_flags.hpp"
#include "filters/output_file.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"
#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace everbloom::cli {
namespace {

struct uniq_flags {
    std::string capacity = "10000";
    std::optional<std::string> window;
    std::optional<std::string> time_field;
    std::optional<std::string> state;
    bool second = false;
    bool repeated = false;
    bool count = false;
    bool only_once = false;
    bool exact = false;
    bool statistics = false;
    hasher_flags hashing;
    key_flags keys;

    [[nodiscard]] occurrence wanted() const noexcept {
        return second ? occurrence::second : repeated ? occurrence::repeated : occurrence::first;
    }
    [[nodiscard]] bool takes_two_passes() const noexcept { return count || only_once; }
};

void print_statistics(const seen_keys& seen, std::uint64_t keys, std::uint64_t firsts) {
    const growth_statistics growth = seen.filter().filter().growth().value_or(growth_statistics{});
    const bool is_exact = seen.how() == seen_keys::precision::exact;
    const auto& table = seen.table();
    json document{{"keys", keys},
                  {"different", firsts},
                  {"expansions", table ? table->expansions() : growth.expansions},
                  {"fast_bytes", table ? table->bytes() : growth.fast_bits / 8},
                  {"slow_bytes", growth.slow_bits / 8}};
    if (is_exact) document["exact_bytes"] = seen.exact().capacity() * (short_hash::bytes + 1);
    say_text(json_line(document));
}

/// Flags that contradict each other.
result<void> check_combination(const uniq_flags& flags) {
    const auto refuse = [](std::string_view why) { return fail(failure_reason::bad_parameter, std::string(why)); };
    if (flags.takes_two_passes() && (flags.window || flags.state || flags.exact || flags.second || flags.repeated)) {
        return refuse("-c and -u count all keys first; --window, --state, --exact-hash, -d and -D are for one pass");
    }
    if (flags.second && flags.repeated)
        return refuse("-d prints a line at its second occurrence, -D at all after the first; give one");
    if (flags.state && flags.second) return refuse("--state keeps what was seen once; -d needs more than that");
    if (flags.time_field && !flags.window) return refuse("--time-field is for a --window in time, such as 1h");
    return {};
}

/// -c and -u read their input twice.
result<void> require_regular(const key_files& files) {
    for (const std::string& name : files.names) {
        struct stat found {};
        if (name != "-" && ::stat(name.c_str(), &found) == 0 && S_ISREG(found.st_mode)) continue;
        return fail(failure_reason::bad_parameter, "-c and -u read their input twice, and " + display_name(name) +
                                                       " can be read only once; store it in a file first");
    }
    return {};
}

result<int> run_two_passes(const uniq_flags& flags, const key_stream& stream, const any_hasher& hasher) {
    if (auto twice = require_regular(stream.files); !twice) return fail(std::move(twice.error()));
    interruption stopper;
    key_counts counts;
    const auto counted_keys = [&](const hashed_keys& keys) { return counts.count(keys); };
    if (auto done = hash_keys(stream, hasher, stopper.cancel(), counted_keys); !done) {
        return fail(std::move(done.error()));
    }
    std::uint64_t printed = 0;
    std::string output;
    key_stream again = stream;
    again.skipped = nullptr; // named once
    auto done = hash_keys(again, hasher, stopper.cancel(), [&](const hashed_keys& keys) -> result<void> {
        output.clear();
        for (std::size_t i = 0; i < keys.digests.size(); ++i) {
            const std::uint64_t times = counts.take(keys.digests[i]);
            if (times == 0 || (flags.only_once && times != 1)) continue;
            ++printed;
            if (flags.count) fmt::format_to(std::back_inserter(output), "{:>7} ", times);
            output.append(keys.line(i));
            output += stream.format.separator;
        }
        return write_output(output);
    });
    if (flags.statistics) say_text(json_line({{"keys", counts.keys()}, {"different", counts.distinct()}}));
    if (!done && interruption::caught() != 0) return fail(interrupted_after(counted(counts.keys(), "key"), printed));
    if (!done) return fail(std::move(done.error()));
    return printed != 0 ? exit_done : exit_nothing;
}

/// The state of an earlier run, under a lock until it is replaced.
struct kept_state {
    output_file update;
    std::optional<filter_file> before;
};

result<std::optional<kept_state>> open_state(const uniq_flags& flags, const std::vector<std::string>& inputs) {
    if (!flags.state) return std::optional<kept_state>{};
    auto update = output_file::begin(*flags.state, inputs);
    if (!update) return fail(std::move(update.error()));
    std::optional<kept_state> made(kept_state{std::move(*update), {}});
    struct stat there {};
    if (::stat(flags.state->c_str(), &there) != 0) return made;
    auto file = open_filter_argument(*flags.state);
    if (!file) return fail(std::move(file.error()));
    made->before = std::move(*file);
    return made;
}

result<std::optional<time_place>> times_of(const uniq_flags& flags) {
    if (!flags.time_field) return std::optional<time_place>{};
    auto fields = parse_fields("--time-field", *flags.time_field);
    if (!fields) return fail(std::move(fields.error()));
    const auto split = flags.keys.split();
    if (!split) return fail(split.error());
    return std::optional(time_place{std::move(*fields), *split});
}

/// For what is seen for the first time, or, with -d, for the second.
result<seen_keys> make_seen(const uniq_flags& flags, std::uint64_t capacity) {
    if (flags.exact || flags.window || flags.state) {
        const auto precision = flags.exact ? seen_keys::precision::exact : seen_keys::precision::usual;
        auto filter = first_occurrences::make(flags.exact ? 1 : capacity);
        if (!filter) return fail(std::move(filter.error()));
        return seen_keys(precision, std::move(*filter));
    }
    auto table = distinct_hashes::make(capacity);
    if (!table) return fail(std::move(table.error()));
    return seen_keys(std::move(*table));
}

result<int> run_one_pass(const uniq_flags& flags, key_stream stream, any_hasher hasher) {
    const auto capacity = size_of_flag("--capacity", flags.capacity);
    if (!capacity) return fail(capacity.error());
    const auto size = flags.window ? window_size::parse(*flags.window) : result<window_size>(window_size{});
    if (!size) return fail(size.error());
    auto times = times_of(flags);
    if (!times) return fail(std::move(times.error()));
    auto first = make_seen(flags, *capacity);
    if (!first) return fail(std::move(first.error()));
    interruption stopper;
    auto state = open_state(flags, stream.files.names);
    if (!state) return fail(std::move(state.error()));
    key_filtering filtering(flags.wanted(), std::move(*first), key_window(*size), std::move(*times));
    if (*state && (*state)->before) {
        filter_file& before = *(*state)->before;
        hasher = before.hasher();
        const auto format = flags.keys.format_for(*flags.state, before.keys);
        if (!format) return fail(format.error());
        stream.format = *format;
        if (auto done = restore(*flags.state, before, filtering.seen(), filtering.window()); !done) {
            return fail(std::move(done.error()));
        }
    }
    if (flags.second) {
        auto twice = make_seen(flags, *capacity);
        if (!twice) return fail(std::move(twice.error()));
        filtering.use_second(std::move(*twice));
    }
    greet_terminal(stream.files);
    std::string output;
    auto done = hash_keys(stream, hasher, stopper.cancel(), [&](const hashed_keys& keys) -> result<void> {
        output.clear();
        auto taken = filtering.take(keys, stream.format.separator, output);
        if (!taken && taken.error().reason == failure_reason::no_room)
            taken.error().sentence += "; --window N bounds it";
        // What is printed up to a failure has been seen: it is written in any case.
        if (auto written = write_output(output); !written) return written;
        return taken;
    });
    // Also if the stream was interrupted: the numbers up to there.
    if (flags.statistics) print_statistics(filtering.seen(), filtering.keys(), filtering.firsts());
    const bool is_interrupted = !done && interruption::caught() != 0;
    if (*state && (done || is_interrupted)) {
        const filter_file kept = state_of(std::move(filtering.seen()), filtering.window(), hasher, stream.format.type);
        if (auto saved = (*state)->update.save(kept); !saved) return fail(std::move(saved.error()));
    }
    if (is_interrupted) return fail(interrupted_after(counted(filtering.keys(), "key"), filtering.printed()));
    if (!done) return fail(std::move(done.error()));
    return filtering.printed() != 0 ? exit_done : exit_nothing;
}

result<int> run_uniq(const uniq_flags& flags) {
    if (auto sound = check_combination(flags); !sound) return fail(std::move(sound.error()));
    const auto threads = flags.keys.threads();
    const auto format = flags.keys.format();
    const auto hasher = flags.hashing.make();
    if (!threads) return fail(threads.error());
    if (!format) return fail(format.error());
    if (!hasher) return fail(hasher.error());
    auto files = flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));
    const auto shown = output_is_terminal() ? progress::mode::silent : progress::mode::shown;
    skipped_lines skipped(progress::mode::shown);
    key_stream stream{std::move(*files), *format, *threads, shown, &skipped};
    auto ended = flags.takes_two_passes() ? run_two_passes(flags, stream, *hasher)
                                          : run_one_pass(flags, std::move(stream), *hasher);
    if (ended) skipped.report();
    return ended;
}

} // namespace

void declare_uniq(command_line& line) {
    auto flags = std::make_shared<uniq_flags>();
    command_flags command = line.add("uniq", "Print the first line of each key of a stream",
                                     "cat names.txt names.txt | everbloom uniq\n"
                                     "cat names.txt names.txt | everbloom uniq -d --window 1000",
                                     [flags] { return run_uniq(*flags); });
    flags->keys.declare_files(command);
    command.add_option("--capacity", flags->capacity, "initial capacity in distinct keys; the filter grows as needed")
        ->alias("--items")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option(
            "--window", flags->window,
            "remember only the last N distinct keys (10M), or those of the last hour (90s, 15m, 1h, 7d): memory is "
            "bounded, and older keys are printed again")
        ->type_name("N|TIME");
    command
        .add_option(
            "--time-field", flags->time_field,
            "field of the line with its time, for --window TIME: seconds since 1970, ISO 8601 or as in web server "
            "logs (default: the time of arrival)")
        ->type_name("N[,N]");
    command.add_flag("-d,--repeated", flags->second, "print lines at their second occurrence instead");
    command.add_flag("-D,--all-repeated", flags->repeated, "print all occurrences but the first instead");
    command.add_flag("-c,--count", flags->count,
                     "print the number of occurrences before each line; reads the files twice, so no pipes");
    command.add_flag("-u,--unique", flags->only_once,
                     "print only lines that occur once; reads the files twice, so no pipes");
    command.add_flag(
        "--exact-hash", flags->exact,
        "keep 80 bits per key instead of 60: the chance that a new line is taken for a repetition is n / 2^80 "
        "after n keys, not n / 2^60");
    command
        .add_option("--state", flags->state,
                    "remember the keys in this file, and go on from it the next time; also written when interrupted")
        ->type_name("FILE");
    command.add_flag("--stats", flags->statistics,
                     "print the number of keys and the memory used to standard error, as JSON");
    flags->hashing.declare(command);
    flags->keys.declare(command);
}

} // namespace everbloom::cli
