// What somebody at a terminal sees, and what he does not have to wait for.
#include "cli/workbench.hpp"

#include <pty.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace everbloom::support {
namespace {

/// The program on a terminal of its own; its stdin is the terminal, or a pipe that the test holds.
class on_a_terminal {
public:
    enum class input { terminal, pipe };

    explicit on_a_terminal(const std::vector<std::string>& arguments, input from = input::terminal,
                           const std::vector<std::pair<std::string, std::string>>& environment = {}) {
        std::vector<std::string> words{EVERBLOOM_CLI_PATH};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        process_ = ::forkpty(&screen_, nullptr, nullptr, nullptr);
        if (process_ < 0) throw std::runtime_error("no terminal");
        if (process_ == 0) {
            if (from == input::pipe) ::dup2(ends[0], 0);
            for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(ends[0]);
        input_ = from == input::pipe ? ends[1] : screen_;
        if (from == input::terminal) ::close(ends[1]);
    }
    on_a_terminal(const on_a_terminal&) = delete;
    on_a_terminal& operator=(const on_a_terminal&) = delete;

    void type(std::string_view text) const {
        if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
            throw std::runtime_error("cannot type");
        }
    }

    /// Reads the screen until it has shown these words.
    void wait_for(std::string_view words) {
        std::array<char, 4096> block{};
        while (shown_.find(words) == std::string::npos) {
            const ssize_t got = ::read(screen_, block.data(), block.size());
            if (got <= 0) throw std::runtime_error("it ended without: " + std::string(words) + "\n" + shown_);
            shown_.append(block.data(), static_cast<std::size_t>(got));
        }
    }

    /// Everything that appeared on the screen until the program ended.
    program_result finish() {
        if (input_ != screen_) ::close(input_);
        program_result seen;
        seen.out = shown_;
        std::array<char, 4096> block{};
        for (ssize_t got = 0; (got = ::read(screen_, block.data(), block.size())) > 0;) {
            seen.out.append(block.data(), static_cast<std::size_t>(got));
        }
        int status = 0;
        ::waitpid(process_, &status, 0);
        ::close(screen_);
        seen.exit_code = WEXITSTATUS(status);
        return seen;
    }

private:
    pid_t process_ = -1;
    int screen_ = -1;
    int input_ = -1;
    std::string shown_; // by wait_for
};

TEST(terminal, create_without_keys_does_not_wait_for_somebody_to_type_them) {
    const workbench here;
    const auto seen = on_a_terminal({"create", here / "x.eb", "--capacity", "1000"}).finish();
    EXPECT_NE(seen.out.find("no keys given: the filter is empty"), std::string::npos) << seen.out;
    EXPECT_EQ(seen.exit_code, 0);
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
}

TEST(terminal, whoever_is_waited_for_is_told_so) {
    const workbench here;
    here.make("x.eb", "anna\n");
    on_a_terminal program({"check", here / "x.eb"});
    program.type("anna\n\x04"); // Ctrl-D
    const auto seen = program.finish();
    EXPECT_NE(seen.out.find("reading keys from the terminal"), std::string::npos) << seen.out;
    EXPECT_EQ(seen.exit_code, 0);
}

TEST(terminal, help_has_colours_where_they_are_seen_and_wanted) {
    using variables = std::vector<std::pair<std::string, std::string>>;
    const auto help = [](const variables& environment) {
        return on_a_terminal({"verify", "--help"}, on_a_terminal::input::terminal, environment).finish().out;
    };
    const std::string coloured = help({{"TERM", "xterm"}, {"NO_COLOR", ""}});
    EXPECT_NE(coloured.find("\x1b[1mUsage:\x1b[0m "), std::string::npos) << coloured;
    EXPECT_NE(coloured.find("\x1b[1mOptions:\x1b[0m"), std::string::npos) << coloured;
    EXPECT_NE(coloured.find("  \x1b[36m-h,--help\x1b[0m  "), std::string::npos) << coloured;
    EXPECT_NE(coloured.find("\n  everbloom verify"), std::string::npos) << coloured; // examples are to be copied
    for (const variables& plain : {variables{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, variables{{"TERM", "dumb"}}}) {
        const std::string seen = help(plain);
        EXPECT_NE(seen.find("Usage: "), std::string::npos) << seen;
        EXPECT_EQ(seen.find('\x1b'), std::string::npos) << seen;
    }
    const auto piped = run_program({"verify", "--help"}, {.extra = {{"TERM", "xterm"}, {"NO_COLOR", ""}}});
    EXPECT_NE(piped.out.find("Usage: "), std::string::npos) << piped.out;
    EXPECT_EQ(piped.out.find('\x1b'), std::string::npos) << piped.out;
}

TEST(terminal, long_work_shows_its_progress_and_wipes_it_away) {
    const workbench here;
    here.make("x.eb", "anna\n");
    for (const bool quiet : {false, true}) {
        std::vector<std::string> arguments{"add", here / "x.eb"};
        if (quiet) arguments.emplace_back("--quiet");
        on_a_terminal program(arguments, on_a_terminal::input::pipe);
        program.type("bert\n");
        std::this_thread::sleep_for(std::chrono::milliseconds(1500)); // longer than the second it keeps silent
        program.type("carla\n");
        const auto seen = program.finish();
        EXPECT_EQ(seen.exit_code, 0);
        EXPECT_EQ(seen.out.find(" keys/s") != std::string::npos, !quiet) << seen.out;
    }
}

TEST(terminal, a_gate_that_is_watched_shows_its_counters_in_place_and_wipes_them_away) {
    const workbench here;
    on_a_terminal program({"gate", "--packets", "-", "--format", "text", "--watch", "--every", "0.2"},
                          on_a_terminal::input::pipe);
    program.type("10.0.0.1 00000001\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    program.type("10.0.0.1 00000002\n");
    const auto seen = program.finish();
    EXPECT_EQ(seen.exit_code, 0);
    EXPECT_NE(seen.out.find("everbloom gate  -  00:00:00"), std::string::npos) << seen.out;
    EXPECT_NE(seen.out.find("\x1b[3A\r\x1b[J"), std::string::npos) << seen.out; // up three lines, and clear
    EXPECT_NE(seen.out.find("accepted 2, bad 0"), std::string::npos) << seen.out;
}

TEST(terminal, q_ends_a_gate_that_is_watched_and_its_state_is_saved) {
    const workbench here;
    ASSERT_EQ(::mkfifo((here / "packets").c_str(), 0600), 0);
    on_a_terminal program({"gate", "--packets", here / "packets", "--format", "text", "--watch", "--every", "0.1",
                           "--state", here / "s"});
    // Held open to the end, so that the gate waits for more packets when the key comes. Views come with packets.
    std::ofstream packets(here / "packets");
    std::jthread sender([&](const std::stop_token& enough) {
        while (!enough.stop_requested()) {
            packets << "10.0.0.1 00000001\n" << std::flush;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    program.wait_for("q: quit");
    sender.request_stop();
    sender.join();
    program.type("xq");
    const auto seen = program.finish();
    EXPECT_EQ(seen.exit_code, 0) << seen.out;
    EXPECT_NE(seen.out.find(", bad 0, rejected 0"), std::string::npos) << seen.out;
    EXPECT_EQ(seen.out.find("xq"), std::string::npos) << seen.out; // not shown
    EXPECT_TRUE(std::filesystem::exists(here.path() / "s/gate.json"));
}

} // namespace
} // namespace everbloom::support
