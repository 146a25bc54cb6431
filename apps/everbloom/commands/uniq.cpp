// uniq: prints the first occurrence of every key of a stream; memory is proportional to the number of distinct keys.
#include "commands/commands.hpp"
#include "filters/hasher_flags.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"
#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/first_occurrences.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace everbloom::cli {
namespace {

struct uniq_flags {
    std::string capacity = "10000";
    std::optional<std::string> window;
    bool repeated = false;
    bool statistics = false;
    hasher_flags hashing;
    key_flags keys;
};

void print_statistics(const first_occurrences& seen) {
    const growth_statistics growth = seen.filter().growth().value_or(growth_statistics{});
    const json document{{"keys", seen.keys()},
                        {"different", seen.firsts()},
                        {"expansions", growth.expansions},
                        {"fast_bytes", growth.fast_bits / 8},
                        {"slow_bytes", growth.slow_bits / 8}};
    say_text(json_line(document));
}

result<int> run_uniq(const uniq_flags& flags) {
    const auto capacity = size_of_flag("--capacity", flags.capacity);
    const auto window = flags.window ? size_of_flag("--window", *flags.window) : result<std::uint64_t>(0);
    const auto threads = flags.keys.threads();
    const auto format = flags.keys.format();
    const auto hasher = flags.hashing.make();
    if (!capacity) return fail(capacity.error());
    if (!window) return fail(window.error());
    if (flags.window && *window == 0) {
        return fail(failure_reason::bad_parameter, "--window: '0' is too small; it must be at least 1");
    }
    if (!threads) return fail(threads.error());
    if (!format) return fail(format.error());
    if (!hasher) return fail(hasher.error());
    auto files = flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));
    auto made = first_occurrences::make(*capacity, *window);
    if (!made) return fail(std::move(made.error()));
    first_occurrences& seen = *made;

    greet_terminal(*files);
    interruption stopper;
    const std::uint8_t wanted = flags.repeated ? 0 : 1;
    std::string output;
    const key_stream stream{std::move(*files), *format, *threads,
                            output_is_terminal() ? progress::mode::silent : progress::mode::shown};
    const auto take = [&](const hashed_keys& keys) -> result<void> {
        std::array<std::uint8_t, batch_items> is_first{};
        output.clear();
        for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
            const std::size_t count = std::min(batch_items, keys.digests.size() - from);
            const auto firsts = std::span(is_first).first(count);
            if (auto done = seen.classify(std::span(keys.digests).subspan(from, count), firsts); !done) {
                if (done.error().reason == failure_reason::no_room) done.error().sentence += "; --window N bounds it";
                return done;
            }
            for (std::size_t i = 0; i < count; ++i) {
                if (firsts[i] != wanted) continue;
                output.append(keys.texts[from + i]);
                output += format->separator;
            }
        }
        return write_output(output);
    };
    auto done = hash_keys(stream, *hasher, stopper.cancel(), take);
    // Also if the stream was interrupted: the numbers up to there.
    if (flags.statistics) print_statistics(seen);
    const std::uint64_t printed = flags.repeated ? seen.keys() - seen.firsts() : seen.firsts();
    if (!done && interruption::caught() != 0) {
        return fail(interrupted_after(counted(seen.keys(), "key"), printed));
    }
    if (!done) return fail(std::move(done.error()));
    return printed != 0 ? exit_done : exit_nothing;
}

} // namespace

void declare_uniq(command_line& line) {
    auto flags = std::make_shared<uniq_flags>();
    command_flags command = line.add("uniq", "Print each key of a stream once, at its first occurrence",
                                     "cat names.txt names.txt | everbloom uniq\n"
                                     "cat names.txt names.txt | everbloom uniq --repeated --window 1000",
                                     [flags] { return run_uniq(*flags); });
    flags->keys.declare_files(command);
    command.add_option("--capacity", flags->capacity, "initial capacity in distinct keys; the filter grows as needed")
        ->alias("--items")
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--window", flags->window,
                    "remember only the last N distinct keys: memory is bounded, and older keys are printed again")
        ->type_name("N");
    command.add_flag("-d,--repeated", flags->repeated, "print the repetitions instead of the first occurrences");
    command.add_flag("--stats", flags->statistics,
                     "print the number of keys and the memory used to standard error, as JSON");
    flags->hashing.declare(command);
    flags->keys.declare(command);
}

} // namespace everbloom::cli
