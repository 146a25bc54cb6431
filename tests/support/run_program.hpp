// Runs the everbloom command line tool as a user would: arguments and input in, output, messages and exit code out.
//
//     temporary_directory here;
//     const auto ran = run_program({"create", here / "x.eb", "--items", "1000"}, {.input = "anna\nbert\n"});
//     EXPECT_EQ(ran.exit_code, 0) << ran.err;
//
// `running_program` is the same in steps, for tests that send signals or keep the input open.
#pragma once

#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace everbloom::support {

struct program_setting {
    std::string input = {};                                      // what stdin holds
    std::string directory = {};                                  // where it runs; empty: where the test runs
    std::string output_file = {};                                // stdout goes there instead of being captured
    std::optional<std::uint64_t> largest_file_bytes = {};        // as `ulimit -f`
    std::optional<std::uint64_t> most_memory_bytes = {};         // as `ulimit -v`
    std::optional<std::uint64_t> most_cpu_seconds = {};          // as `ulimit -t`: exceeding it kills the program
    std::vector<int> closed = {};                                // of stdin, stdout and stderr
    std::string program = EVERBLOOM_CLI_PATH;                    // or another one, by its path
    std::vector<std::pair<std::string, std::string>> extra = {}; // environment variables to set
};

struct program_result {
    int exit_code = -1; // of a program that was killed: 128 + the signal, as in a shell
    std::string out;
    std::string err;
    std::uint64_t peak_bytes = 0; // of its resident memory; and of ours when it was started
};

class running_program {
public:
    explicit running_program(const std::vector<std::string>& arguments, const program_setting& setting = {}) {
        std::array<std::array<int, 2>, 3> pipes{};
        for (auto& one : pipes) {
            if (::pipe2(one.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        }
        std::vector<std::string> words{setting.program};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        process_ = ::fork();
        if (process_ < 0) throw std::runtime_error("no process");
        if (process_ == 0) become(argv, setting, pipes); // never comes back
        ::close(pipes[0][0]);
        ::close(pipes[1][1]);
        ::close(pipes[2][1]);
        input_ = pipes[0][1];
        output_ = {pipes[1][0], pipes[2][0]};
        input_text_ = setting.input;
        ::fcntl(input_, F_SETFL, O_NONBLOCK);
    }
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        finish();
    }

    /// Appends to its stdin.
    void send(std::string_view bytes) {
        input_text_ += bytes;
        exchange(0);
    }

    /// Waits until it has read what was sent: then it has begun to work. False if it does not read it within a minute.
    [[nodiscard]] bool has_read_its_input() {
        const auto enough = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        for (int left = 1; std::chrono::steady_clock::now() < enough;) {
            exchange(0);
            if (input_ < 0 || ::ioctl(input_, FIONREAD, &left) != 0) return false;
            if (all_sent() && left == 0) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return false;
    }

    void signal(int number) const { ::kill(process_, number); }
    [[nodiscard]] pid_t process() const noexcept { return process_; }

    /// Reads stdout until it contains this text; false at its end or on a timeout.
    [[nodiscard]] bool says(std::string_view wanted) {
        constexpr int patience = 60'000; // milliseconds without output: the program hangs
        while (said_.out != wanted && output_[0] >= 0) {
            if (!exchange(patience)) return false;
        }
        return said_.out == wanted;
    }

    /// Sends what is left and closes its stdin.
    void close_input() {
        while (!all_sent() && input_ >= 0) exchange(-1);
        close_once(input_);
    }

    [[nodiscard]] bool is_running() const {
        siginfo_t ended{};
        return ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               ended.si_pid == 0;
    }

    /// Closes its stdout, as `head` does when it has enough.
    void stop_reading() { close_once(output_[0]); }

    /// Sends what is left, closes stdin, reads to the end, waits.
    program_result finish() {
        close_input();
        return wait();
    }

    /// Reads to the end and waits, while its stdin stays open.
    program_result wait() {
        while (output_[0] >= 0 || output_[1] >= 0) exchange(-1);
        int status = 0;
        rusage used{};
        while (::wait4(process_, &status, 0, &used) < 0 && errno == EINTR) {
        }
        said_.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
        process_ = -1;
        said_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return said_;
    }

private:
    [[noreturn]] static void become(std::vector<char*>& argv, const program_setting& setting,
                                    const std::array<std::array<int, 2>, 3>& pipes) {
        ::dup2(pipes[0][0], 0);
        ::dup2(pipes[1][1], 1);
        ::dup2(pipes[2][1], 2);
        if (!setting.output_file.empty()) {
            const int file = ::open(setting.output_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (file < 0 || ::dup2(file, 1) < 0) ::_exit(126);
        }
        if (!setting.directory.empty() && ::chdir(setting.directory.c_str()) != 0) ::_exit(126);
        limit(RLIMIT_FSIZE, setting.largest_file_bytes);
        limit(RLIMIT_AS, setting.most_memory_bytes);
        limit(RLIMIT_CPU, setting.most_cpu_seconds);
        for (const auto& [name, value] : setting.extra) ::setenv(name.c_str(), value.c_str(), 1);
        for (const int one : setting.closed) ::close(one);
        ::signal(SIGPIPE, SIG_DFL);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }

    template <class Resource>
    static void limit(Resource resource, const std::optional<std::uint64_t>& most) {
        if (!most) return;
        const rlimit both{*most, *most};
        if (::setrlimit(resource, &both) != 0) ::_exit(126);
    }

    static void close_once(int& descriptor) {
        if (descriptor >= 0) ::close(descriptor);
        descriptor = -1;
    }

    [[nodiscard]] bool all_sent() const noexcept { return sent_ == input_text_.size(); }

    /// One round of input and output: waits until a pipe is ready, then uses it. False on a timeout.
    bool exchange(int milliseconds) {
        std::array<pollfd, 3> ends{
            {{all_sent() ? -1 : input_, POLLOUT, 0}, {output_[0], POLLIN, 0}, {output_[1], POLLIN, 0}}};
        if (::poll(ends.data(), ends.size(), milliseconds) <= 0) return false;
        if (ends[0].revents != 0) send_some();
        if (ends[1].revents != 0) hear(output_[0], said_.out);
        if (ends[2].revents != 0) hear(output_[1], said_.err);
        return true;
    }

    void send_some() {
        // A program may leave its input unread; the broken pipe must not kill the test.
        const auto old = ::signal(SIGPIPE, SIG_IGN);
        const ssize_t sent = ::write(input_, input_text_.data() + sent_, input_text_.size() - sent_);
        const int reason = errno;
        ::signal(SIGPIPE, old);
        if (sent > 0) sent_ += static_cast<std::size_t>(sent);
        if (sent < 0 && reason != EAGAIN && reason != EINTR) {
            sent_ = input_text_.size();
            close_once(input_);
        }
    }

    static void hear(int& from, std::string& into) {
        std::array<char, 65536> block;
        const ssize_t got = ::read(from, block.data(), block.size());
        if (got > 0) into.append(block.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) close_once(from);
    }

    pid_t process_ = -1;
    int input_ = -1;
    std::array<int, 2> output_{-1, -1}; // its stdout, its stderr
    std::string input_text_;
    std::size_t sent_ = 0; // of its bytes
    program_result said_;
};

inline program_result run_program(const std::vector<std::string>& arguments, const program_setting& setting = {}) {
    return running_program(arguments, setting).finish();
}

} // namespace everbloom::support
