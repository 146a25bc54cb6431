// Runs gnuplot without a shell, and prepares its picture for a page.
#include "lab/reproduce/figure.hpp"
#include "output/pipe_ends.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <regex>

extern char** environ; // NOLINT(readability-identifier-naming): POSIX names it so

namespace everbloom::cli {
namespace {

/// Both ends of a pipe, closed by the destructor.
class pipe_ends {
public:
    pipe_ends() { opened_ = open_pipe(ends_); }
    pipe_ends(const pipe_ends&) = delete;
    pipe_ends& operator=(const pipe_ends&) = delete;
    ~pipe_ends() {
        close_end(0);
        close_end(1);
    }
    [[nodiscard]] bool opened() const noexcept { return opened_; }
    [[nodiscard]] int reading() const noexcept { return ends_[0]; }
    [[nodiscard]] int writing() const noexcept { return ends_[1]; }
    void close_writing() { close_end(1); }

private:
    void close_end(std::size_t which) {
        if (opened_ && ends_[which] >= 0) ::close(ends_[which]);
        ends_[which] = -1;
    }

    int ends_[2]{-1, -1};
    bool opened_ = false;
};

std::string read_to_end(int descriptor) {
    std::string text;
    std::array<char, 65536> block;
    for (;;) {
        const ssize_t got = ::read(descriptor, block.data(), block.size());
        if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
}

unexpected<failure> cannot_run(int reason) {
    return fail(failure_reason::input_output, std::string("cannot run gnuplot: ") + std::strerror(reason));
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
        text.replace(at, what.size(), with);
    }
}

} // namespace

result<std::optional<std::string>> draw_figure(const std::string& script_path) {
    pipe_ends output;
    if (!output.opened()) return cannot_run(errno);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, script_path.c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.writing(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string name = "gnuplot";
    std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t process = -1;
    const int refused = ::posix_spawnp(&process, name.c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (refused == ENOENT) return std::nullopt;
    if (refused != 0) return cannot_run(refused);
    output.close_writing();
    std::string svg = read_to_end(output.reading());
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || svg.find("</svg>") == std::string::npos) {
        return fail(failure_reason::input_output,
                    "gnuplot could not draw " + script_path + "; run 'gnuplot " + script_path + "' to see why");
    }
    return svg;
}

std::string inline_figure(std::string svg, const std::string& id, const std::string& title) {
    svg.erase(0, svg.find("<svg"));
    // Pictures on one page must not share names, and take the colours of the page.
    svg = std::regex_replace(svg, std::regex(R"re((\sid=|xlink:href=)(["'])(#?))re"), "$1$2$3" + id + "_");
    svg = std::regex_replace(svg, std::regex(R"(url\((['"]?)#)"), "url($1#" + id + "_");
    svg = std::regex_replace(svg, std::regex(R"(<title>[^<]*</title>)"), "");
    svg = std::regex_replace(svg, std::regex(R"re((<rect x="0" y="0" [^>]*fill=")[^"]*)re"), "$1none");
    replace_all(svg, "xlink:href=", "href=");
    for (const char* black : {"black", "#000000", "rgb(  0,   0,   0)", "rgb(0,0,0)"}) {
        for (const char quote : {'"', '\''}) {
            for (const char* attribute : {"stroke", "fill", "color"}) {
                const std::string start = std::string(attribute) + "=" + quote;
                replace_all(svg, start + black + quote, start + "currentColor" + quote);
            }
        }
    }
    const std::size_t end_of_tag = svg.find('>');
    svg.insert(end_of_tag, R"( role="img" aria-label=")" + title + "\"");
    return svg;
}

} // namespace everbloom::cli
