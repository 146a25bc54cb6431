// What every command does when it is interrupted: it ends by the signal, so that the shell sees the truth, and says in one line what it
// leaves behind. No file is changed. Commands that print as they read say how far they came.
#include "cli/every_command.hpp"

#include <fstream>
#include <thread>

namespace everbloom::support {
namespace {

/// Has the process put a handler on the signal? Before that it would just be gone.
bool listens_to(pid_t process, int signal) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("SigCgt:")) continue;
        return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
    }
    return false;
}

/// Runs until it listens, then interrupts it. Its input stays open.
program_result interrupted(const std::vector<std::string>& arguments, const workbench& here, int signal) {
    running_program running(arguments, {.directory = here.path().string()});
    while (running.is_running() && !listens_to(running.process(), signal)) std::this_thread::yield();
    running.signal(signal);
    return running.wait();
}

void expect_interrupted(const program_result& ran, int signal) {
    EXPECT_EQ(ran.exit_code, 128 + signal) << ran.err;
    EXPECT_EQ(line_count(ran.err), 1U) << ran.err;
    EXPECT_TRUE(ran.err.starts_with("everbloom: interrupted")) << ran.err;
}

/// Runs that wait for input, or have enough to do that nobody sees their end.
std::vector<command_run> endless_runs() {
    return {
        {{"create", "new.eb", "-", "--capacity", "1000"}},
        {{"add", "counting.eb", "-"}},
        {{"check", "counting.eb", "-"}},
        {{"remove", "counting.eb", "-"}},
        {{"sync", "followed.eb", "-"}},
        {{"watch", "followed.eb", "names.txt"}},
        {{"rekey", "counting.eb", "-"}},
        {{"convert", "-", "made.bloom"}},
        {{"protect", "counting.eb", "-"}},
        {{"uniq", "-"}},
        {{"redis", "split", "-", "--out", "parts", "--shards", "2"}, 2},
        {{"route", "-"}},
        {{"gate", "--packets", "-", "--format", "raw"}},
        {{"gate", "generate", "--packets", "1000M", "--out", "made"}, 2},
        {{"simulate", "bloom", "--items", "1M", "--trials", "100000", "--queries", "1000"}},
        {{"plan", "--capacity", "1M", "--churn", "10000"}},
        {{"route", "backbone", "--trials", "10M"}},
        {{"reproduce", "dfp", "--scale", "full"}},
    };
}

TEST(interruption, ends_every_command_by_the_signal_with_a_word_and_unchanged_files) {
    const workbench here;
    make_inputs(here);
    const folder_contents before = contents_of(here);
    for (const command_run& one : endless_runs()) {
        SCOPED_TRACE(one.text());
        for (const int signal : {SIGINT, SIGTERM}) expect_interrupted(interrupted(one.arguments, here, signal), signal);
        for (const auto& [name, bytes] : contents_of(here)) {
            EXPECT_EQ(before.contains(name) ? before.at(name) : "(none)", bytes) << name;
        }
    }
}

TEST(interruption, commands_that_read_standard_input_are_all_tried) {
    const workbench here;
    std::set<std::string> tried;
    for (const command_run& one : endless_runs()) tried.insert(command_run{one.command()}.text());
    // They need a server: redis_test.cpp.
    for (const char* name : {"push", "check", "sync"}) tried.insert(command_run{{"redis", name}}.text());
    for (auto words : commands_in_help(here)) {
        const std::string name = command_run{words}.text();
        words.emplace_back("--help");
        if (here.run(words).out.find("standard input") == std::string::npos) continue;
        EXPECT_TRUE(tried.contains(name)) << name;
    }
}

TEST(interruption, uniq_says_what_it_printed_and_gives_its_statistics) {
    const workbench here;
    running_program running({"uniq", "--stats"}, {.directory = here.path().string()});
    running.send("a\nb\na\nc\n");
    ASSERT_TRUE(running.says("a\nb\nc\n"));
    running.signal(SIGINT);
    const auto ran = running.wait();
    EXPECT_EQ(ran.exit_code, 128 + SIGINT);
    EXPECT_NE(ran.err.find("\"keys\":4,\"different\":3"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("interrupted after 4 keys; the output up to there is complete (3 lines)"), std::string::npos)
        << ran.err;
    EXPECT_EQ(ran.err.find("nothing was changed"), std::string::npos) << ran.err;
}

TEST(interruption, check_says_how_far_it_came) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    running_program running({"check", "x.eb", "-"}, {.directory = here.path().string()});
    running.send("anna\nzoe\n");
    ASSERT_TRUE(running.says("anna\n"));
    running.signal(SIGINT);
    const auto ran = running.wait();
    expect_interrupted(ran, SIGINT);
    EXPECT_NE(ran.err.find("after 2 keys, 1 of them found"), std::string::npos) << ran.err;
}

TEST(interruption, add_and_remove_say_that_what_they_printed_did_not_happen) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    const std::string before = here.read("x.eb");
    {
        running_program running({"add", "x.eb", "-", "--new"}, {.directory = here.path().string()});
        running.send("carla\n");
        ASSERT_TRUE(running.says("carla\n"));
        running.signal(SIGINT);
        const auto ran = running.wait();
        expect_interrupted(ran, SIGINT);
        EXPECT_NE(ran.err.find("x.eb was not changed, but 1 key was already printed"), std::string::npos) << ran.err;
    }
    {
        running_program running({"remove", "x.eb", "-", "--json"}, {.directory = here.path().string()});
        running.send("anna\n");
        ASSERT_TRUE(running.says("{\"key\":\"anna\",\"outcome\":\"removed\"}\n"));
        running.signal(SIGINT);
        const auto ran = running.wait();
        expect_interrupted(ran, SIGINT);
        EXPECT_NE(ran.err.find("x.eb was not changed, although"), std::string::npos) << ran.err;
    }
    EXPECT_EQ(here.read("x.eb"), before);
}

} // namespace
} // namespace everbloom::support
