#include "cli/workbench.hpp"
#include "support/dice.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>

namespace everbloom::support {
namespace {

TEST(uniq, prints_each_key_once_in_the_order_of_first_occurrence) {
    const workbench here;
    const auto ran = here.run({"uniq"}, "dora\nanna\ndora\nbert\nanna\nanna\ncarla\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "dora\nanna\nbert\ncarla\n");
    EXPECT_EQ(ran.err, "");
}

TEST(uniq, grows_from_a_small_start_and_loses_no_line) {
    const workbench here;
    const std::string once = numbered_lines("key", 60'000);
    const auto ran = here.run({"uniq", "--capacity", "10", "--stats"}, once + once);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, once);
    const auto told = nlohmann::json::parse(ran.err);
    EXPECT_EQ(told["keys"], 120'000);
    EXPECT_EQ(told["different"], 60'000);
    EXPECT_GT(told["expansions"], 10);
    EXPECT_LT(told["fast_bytes"].get<double>() + told["slow_bytes"].get<double>(), 12.0 * 60'000);
}

TEST(uniq, prints_the_repetitions_when_asked_for_them) {
    const workbench here;
    EXPECT_EQ(here.run({"uniq", "-D"}, "a\nb\na\na\nc\nb\n").out, "a\na\nb\n");
    EXPECT_EQ(here.run({"uniq", "-d"}, "a\nb\na\na\nc\nb\n").out, "a\nb\n");
    const auto none = here.run({"uniq", "-d"}, "a\nb\nc\n");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_EQ(none.out, "");
}

/// The lines of all inputs that occur for the `least`-th to the `most`-th time, said in the simplest way.
std::string occurrences(const std::vector<std::string>& inputs, std::size_t least, std::size_t most) {
    std::map<std::string, std::size_t> seen;
    std::string output;
    for (const std::string& input : inputs) {
        std::istringstream lines(input);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t times = ++seen[line];
            if (times >= least && times <= most) output += line + "\n";
        }
    }
    return output;
}

// Lines next to each other are copied together: runs of all lengths, empty lines, carriage returns, and files that do not end with a newline.
TEST(uniq, prints_what_an_exact_set_would) {
    const workbench here;
    dice random(23);
    for (const std::uint64_t keys : {3U, 300U, 40'000U, 2'000'000U}) {
        std::vector<std::string> inputs(3);
        for (std::string& input : inputs) {
            for (std::uint64_t left = 20'000; left > 0; --left) {
                const std::uint64_t key = random.below(keys);
                if (key != 0) input += "key " + std::to_string(key);
                input += key % 7 == 0 ? "\r\n" : "\n";
            }
            input += "last";
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) here.write(std::to_string(i), inputs[i]);
        constexpr std::size_t all = 1'000'000;
        EXPECT_TRUE(here.run({"uniq", "0", "1", "2"}).out == occurrences(inputs, 1, 1)) << keys;
        EXPECT_TRUE(here.run({"uniq", "-d", "0", "1", "2"}).out == occurrences(inputs, 2, 2)) << keys;
        EXPECT_TRUE(here.run({"uniq", "-D", "0", "1", "2"}).out == occurrences(inputs, 2, all)) << keys;
        EXPECT_TRUE(here.run({"uniq", "--state", "seen.eb", "0", "1", "2"}).out == occurrences(inputs, 1, 1)) << keys;
        std::filesystem::remove(here / "seen.eb");
    }
}

/// What a window of so many keys does, said in the simplest way.
std::string expected(const std::string& input, std::size_t window) {
    std::vector<std::string> remembered;
    std::istringstream lines(input);
    std::string output;
    for (std::string line; std::getline(lines, line);) {
        if (std::find(remembered.begin(), remembered.end(), line) != remembered.end()) continue;
        if (remembered.size() == window) remembered.erase(remembered.begin());
        remembered.push_back(line);
        output += line + "\n";
    }
    return output;
}

TEST(uniq, a_window_forgets_the_oldest_keys) {
    const workbench here;
    std::string input;
    for (std::uint64_t i = 0; i < 5'000; ++i) input += "key" + std::to_string(i * i % 977 % (i % 400 + 1)) + "\n";
    for (const std::size_t window : {1U, 7U, 100U}) {
        EXPECT_EQ(here.run({"uniq", "--window", std::to_string(window)}, input).out, expected(input, window)) << window;
    }
}

TEST(uniq, reads_files_and_keeps_their_separator) {
    const workbench here;
    here.write("a.txt", "x\ny\n");
    here.write("b.txt", "y\nz\n");
    EXPECT_EQ(here.run({"uniq", "a.txt", "b.txt"}).out, "x\ny\nz\n");
    EXPECT_EQ(here.run({"uniq", "-0"}, std::string("x\0y\0x\0", 6)).out, std::string("x\0y\0", 4));
}

TEST(uniq, refuses_what_cannot_be) {
    const workbench here;
    expect_trouble(here.run({"uniq", "--window", "0"}, "a\n"), "--window: '0' is too small");
    expect_trouble(here.run({"uniq", "--capacity", "many"}, "a\n"), "--capacity");
    expect_trouble(here.run({"uniq", "--capacity", "1e18"}, "a\n"), "items are more than");
    expect_trouble(here.run({"uniq", "missing.txt"}), "missing.txt");
}

TEST(uniq, exact_hashes_give_the_same_lines) {
    const workbench here;
    const std::string once = numbered_lines("key", 20'000);
    for (const std::vector<std::string>& flags : {std::vector<std::string>{"uniq"}, {"uniq", "--exact-hash"}}) {
        EXPECT_TRUE(here.run(flags, once + once).out == once) << flags.back();
        std::vector<std::string> repeated = flags;
        repeated.emplace_back("-d");
        EXPECT_TRUE(here.run(repeated, once + once + once).out == once) << flags.back();
        std::vector<std::string> windowed = flags;
        windowed.insert(windowed.end(), {"--window", "3"});
        EXPECT_EQ(here.run(windowed, "a\nb\na\nc\nd\na\n").out, "a\nb\nc\nd\na\n");
    }
}

TEST(uniq, a_window_in_time_goes_by_the_times_in_the_lines) {
    const workbench here;
    const std::string log = "2024-05-01T12:00:00Z anna\n2024-05-01T12:59:59Z anna\n2024-05-01T13:00:00Z anna\n"
                            "2024-05-01T12:30:00Z bert\n2024-05-01T13:59:00Z anna\n2024-05-01T14:00:00Z anna\n";
    const auto ran = here.run({"uniq", "--field", "2", "--window", "1h", "--time-field", "1"}, log);
    EXPECT_EQ(ran.out, "2024-05-01T12:00:00Z anna\n2024-05-01T13:00:00Z anna\n2024-05-01T12:30:00Z bert\n"
                       "2024-05-01T14:00:00Z anna\n");
    EXPECT_EQ(here.run({"uniq", "--field", "2", "--window", "1m", "--time-field", "1"}, "60 a\n90.5 a\n120 a\n").out,
              "60 a\n120 a\n");
    EXPECT_EQ(here.run({"uniq", "--window", "7d"}, "a\nb\na\n").out, "a\nb\n"); // by arrival
    expect_trouble(here.run({"uniq", "--window", "1h", "--time-field", "1"}, "yesterday a\n"),
                   "no time in 'yesterday a'");
    expect_trouble(here.run({"uniq", "--window", "1x"}, "a\n"), "neither a number of keys, such as 10M, nor a time");
}

TEST(uniq, a_repeated_line_is_a_second_one_again_after_it_was_forgotten) {
    const workbench here;
    EXPECT_EQ(here.run({"uniq", "-d", "--window", "2"}, "a\na\nb\nc\na\na\na\n").out, "a\na\n");
}

TEST(uniq, counts_and_lines_that_occur_once_take_two_passes_of_regular_files) {
    const workbench here;
    here.write("a.txt", "x\ny\nx\n");
    here.write("b.txt", "z\nx\n");
    EXPECT_EQ(here.run({"uniq", "-c", "a.txt", "b.txt"}).out, "      3 x\n      1 y\n      1 z\n");
    EXPECT_EQ(here.run({"uniq", "-u", "a.txt", "b.txt"}).out, "y\nz\n");
    EXPECT_EQ(here.run({"uniq", "-cu", "a.txt"}).out, "      1 y\n");
    EXPECT_EQ(here.run({"uniq", "-u", "a.txt", "a.txt"}).exit_code, 1);
    expect_trouble(here.run({"uniq", "-c"}, "x\n"), "standard input can be read only once; store it in a file first");
    expect_trouble(here.run({"uniq", "-c", "--window", "3", "a.txt"}), "-c and -u count all keys first");
}

TEST(uniq, a_state_goes_on_the_next_day) {
    const workbench here;
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--exact-hash"}, {"--window", "3"}, {"--exact-hash", "--window", "3"}}) {
        std::vector<std::string> arguments{"uniq", "--state", "seen.eb"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(here.run(arguments, "a\nb\na\n").out, "a\nb\n");
        EXPECT_EQ(here.run(arguments, "b\nc\n").out, "c\n");
        EXPECT_EQ(here.run(arguments, "c\na\nb\n").exit_code, 1);
        std::filesystem::remove(here / "seen.eb");
    }
    here.make("x.eb", "anna\n");
    expect_trouble(here.run({"uniq", "--state", "x.eb"}, "a\n"),
                   "x.eb: is a filter, but not a state of 'everbloom uniq'");
    EXPECT_EQ(here.run({"uniq", "--state", "seen.eb"}, "a\n").exit_code, 0);
    expect_trouble(here.run({"uniq", "--state", "seen.eb", "--exact-hash"}, "a\n"), "was written without --exact-hash");
}

TEST(uniq, an_interrupted_run_keeps_what_it_has_printed) {
    const workbench here;
    running_program program({"uniq", "--state", here / "seen.eb", "--stats"});
    program.send("anna\nbert\n");
    EXPECT_TRUE(program.says("anna\nbert\n"));
    program.signal(SIGINT);
    const auto ended = program.wait();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT) << ended.err;
    EXPECT_NE(ended.err.find("\"keys\":2"), std::string::npos) << ended.err;
    EXPECT_EQ(here.run({"uniq", "--state", "seen.eb"}, "bert\ncarla\n").out, "carla\n");
}

} // namespace
} // namespace everbloom::support
