// redis check: prints the lines whose keys may be in a filter on servers.
#include "commands/redis/redis_commands.hpp"
#include "commands/redis/server_flags.hpp"
#include "frame/interruption.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"
#include "output/json_output.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct remote_check_flags {
    server_flags server;
    std::vector<std::string> given;
    bool invert = false;
    bool count = false;
    bool quiet = false;
    bool only_key = false;
    key_flags keys;
};

result<int> run_remote_check(const remote_check_flags& flags) {
    auto request = flags.server.parse();
    if (!request) return fail(std::move(request.error()));
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    auto format = text_format(flags.keys);
    if (!format) return fail(std::move(format.error()));
    if (!flags.given.empty() && !request->files.empty()) {
        return fail(failure_reason::bad_parameter,
                    "-e gives the keys, so " + request->files.front() + " is not read; leave out one of them");
    }
    auto files = flags.given.empty() ? flags.keys.find(request->files) : result<key_files>(keys_given(flags.given));
    if (!files) return fail(std::move(files.error()));
    if (files->given) { // they are keys, not lines, and end with NUL
        format->separator = '\0';
        format->rules.reset();
    }
    format->invalid = bad_lines::skip;
    interruption stopper;
    auto servers = server_group::connect(std::move(request->url), request->patience, stopper.cancel());
    if (!servers) return fail(std::move(servers.error()));
    auto filter = find_spread(*servers, request->shards);
    if (!filter) return fail(std::move(filter.error()));

    greet_terminal(*files);
    const bool prints = !flags.quiet && !flags.count;
    const auto watched =
        flags.quiet || (prints && output_is_terminal()) ? progress::mode::silent : progress::mode::shown;
    skipped_lines skipped(flags.quiet ? progress::mode::silent : progress::mode::shown);
    const char end_of_line = files->given ? '\n' : format->separator;
    const key_stream stream{std::move(*files), *format, *threads, watched, &skipped};
    std::uint64_t keys = 0;
    std::uint64_t found = 0;
    std::vector<std::uint8_t> answers;
    std::string output;
    const auto asked = hash_keys(stream, any_hasher{}, stopper.cancel(), [&](const hashed_keys& block) -> result<void> {
        if (flags.quiet && found != 0) return {};
        if (auto answered = filter->ask(block.texts, answers); !answered) return answered;
        output.clear();
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if ((answers[i] != 0) == flags.invert) continue;
            ++found;
            if (!prints) continue;
            output += flags.only_key ? block.texts[i] : block.line(i);
            output += end_of_line;
        }
        keys += answers.size();
        return write_output(output);
    });
    if (!asked && interruption::caught() != 0) {
        return fail(interrupted_after(counted(keys, "key") + fmt::format(", {} of them found", grouped(found)),
                                      prints ? found : 0));
    }
    if (!asked) return fail(asked.error());
    if (flags.count && !flags.quiet) fmt::print("{}\n", found);
    skipped.report();
    if (skipped.invalid() != 0 && !flags.keys.skips_invalid() && !(flags.quiet && found != 0)) return exit_error;
    return found != 0 ? exit_done : exit_nothing;
}

} // namespace

void declare_redis_check(command_line& line) {
    auto flags = std::make_shared<remote_check_flags>();
    command_flags command = line.add("redis check", "Print the lines whose keys may be in a filter on a server",
                                     "everbloom redis check redis://127.0.0.1:6379/names names.txt\n"
                                     "everbloom redis check redis://127.0.0.1:6379/names -e anna",
                                     [flags] { return run_remote_check(*flags); });
    flags->server.declare(command, "key files or logs (plain or compressed; none or '-': standard input)");
    command.add_option("-e,--key", flags->given, "a key to be checked, instead of files of keys; may be repeated")
        ->type_name("KEY")
        ->one_value_at_a_time();
    command.add_flag("-v,--invert", flags->invert, "print the lines whose keys are surely not in the filter");
    command.add_flag("-c,--count", flags->count, "print the number of keys only");
    command.add_flag("-q,--quiet", flags->quiet, "print nothing; exit code 0 if there was a match");
    command.add_flag("--only-key", flags->only_key, "print the key only, not its line");
    flags->keys.declare(command);
}

} // namespace everbloom::cli
