// Every flag of every command that takes a value, with numbers that nobody means: it is refused with words, or does what it always does,
// within a bounded time and a bounded memory. The flags are those that the program's own help names.
#include "cli/every_command.hpp"
#include "support/rounds.hpp"
#include "support/sanitized.hpp"

namespace everbloom::support {
namespace {

/// Of "  --items N       how many": --items. Flags without a value have nothing or the meaning behind their names.
std::vector<std::string> valued_flags_in_help(const std::string& help) {
    std::istringstream lines(help);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  -")) continue;
        const std::size_t end = std::min(line.find(' ', 2), line.size());
        const std::string names = line.substr(2, end - 2);
        const bool has_value = end + 1 < line.size() && line[end + 1] != ' ';
        if (has_value) found.push_back(names.substr(names.rfind(',') + 1));
    }
    return found;
}

/// The run with one flag set to this value, whatever it had.
std::vector<std::string> with_flag(const command_run& run, const std::string& flag, const std::string& value) {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        if (run.arguments[i] == flag) {
            ++i;
            continue;
        }
        made.push_back(run.arguments[i]);
    }
    made.push_back(flag + "=" + value);
    return made;
}

TEST(hostile_values, are_answered_by_every_flag_of_every_command) {
    const workbench here;
    make_inputs(here);
    const folder_contents before = contents_of(here);
    const std::vector<std::string> values{
        "0",    "-1",    "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e300", "nan", "",
        "1e18", "1e-300"};
    // Each flag gets some of the values, and each value some of the flags; all night all of them.
    const std::size_t step = rounds(1) > 1 ? 1 : 5;
    const std::optional<std::uint64_t> most_memory =
        is_sanitized ? std::nullopt : std::optional<std::uint64_t>(2'000'000'000);
    std::size_t turn = 0;
    std::set<std::string> tried;
    for (const command_run& one : every_command()) {
        std::vector<std::string> help = one.command();
        if (!tried.insert(command_run{help}.text()).second) continue;
        const auto flags = valued_flags_in_help(help_with_all_kinds(here, help));
        for (const std::string& flag : flags) {
            for (std::size_t i = turn++ % step; i < values.size(); i += step) {
                // `watch` would wait for that many changes of its list: what it always does, but not within a bounded time.
                const bool is_valid = i == 2 || i == 3 || values[i] == "1e18";
                if (flag == "--syncs" && is_valid) continue;
                SCOPED_TRACE(one.text() + flag + " '" + values[i] + "'");
                const auto ran = run_program(
                    with_flag(one, flag, values[i]),
                    {.directory = here.path().string(), .most_memory_bytes = most_memory, .most_cpu_seconds = 20});
                EXPECT_LE(ran.exit_code, 2) << ran.err;
                if (ran.exit_code == 2) {
                    EXPECT_TRUE(ran.err.starts_with("everbloom: ")) << ran.err;
                    EXPECT_EQ(line_count(ran.err), 1U) << ran.err;
                }
                restore(here, before, contents_of(here));
            }
        }
    }
    EXPECT_EQ(commands_without_a_run(here), std::set<std::string>{});
    EXPECT_GT(turn, 150U); // the help was understood
}

TEST(hostile_values, a_limit_is_named) {
    const workbench here;
    make_inputs(here);
    expect_trouble(here.run({"route", "backbone", "--trials", "18446744073709551615"}), "between 0 and");
    expect_trouble(here.run({"gate", "generate", "--packets", "1e18", "--out", "made"}), "1000000000000");
    expect_trouble(here.run({"gate", "generate", "--senders", "1e18", "--out", "made"}), "100000000");
    expect_trouble(here.run({"gate", "generate", "--patterns", "10M", "--longest", "64", "--out", "made"}), "words");
    EXPECT_FALSE(std::filesystem::exists(here / "made"));
}

} // namespace
} // namespace everbloom::support
