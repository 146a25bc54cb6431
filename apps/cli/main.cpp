// everbloom: the command line. Parses, runs the chosen command, turns a failure into one sentence and exit code 2.
#include "build_facts.hpp"
#include "commands/commands.hpp"
#include "demo.hpp"
#include "help_format.hpp"
#include "interruption.hpp"
#include "usage_error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {
namespace {

int report(const failure& what) {
    fmt::print(stderr, "everbloom: {}\n", what.sentence);
    return exit_trouble;
}

/// The arguments, without the marker `--`. CLI11 would send those behind it to the wrong place; all of ours are names of files,
/// which are the same files with ./ in front of a dash.
struct read_arguments {
    std::vector<std::string> words;
    std::size_t behind_marker = 0;
};

read_arguments read(int argc, char** argv) {
    read_arguments made;
    bool behind = false;
    for (int i = 0; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (behind) {
            ++made.behind_marker;
            made.words.push_back((word.starts_with('-') && word != "-" ? "./" : "") + std::string(word));
        } else if (word == "--") {
            behind = true;
        } else {
            made.words.emplace_back(word);
        }
    }
    return made;
}

/// A command that was interrupted has put everything away; now the program ends as the signal wants.
int end_by_signal(int number) {
    if (number != SIGPIPE) std::fputs("everbloom: interrupted; nothing was changed\n", stderr);
    ::signal(number, SIG_DFL);
    ::raise(number);
    return 128 + number;
}

int finish(const result<int>& finished) {
    if (!finished) {
        if (const int number = interruption::caught(); number != 0) return end_by_signal(number);
    }
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    const int reason = errno;
    if (!finished) return report(finished.error());
    if (!flushed) {
        return report({failure_reason::input_output,
                       std::string("cannot write to standard output: ") + std::strerror(reason != 0 ? reason : EIO)});
    }
    return *finished;
}

int run(int argc, char** argv) {
    // A reader that has seen enough (head) ends us quietly. A file-size limit is a failed write, not a death in the middle of one.
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_IGN);
    CLI::App app{"everbloom: membership filters for sets that change"};
    app.formatter(std::make_shared<help_format>()); // before the commands, which inherit it
    app.set_version_flag("--version", version_and_build_facts,
                         "Print the version and facts about this build, and exit");
    app.footer(
        "\nWithout arguments everbloom shows itself in a short demo. 'everbloom COMMAND --help' explains a command.\n"
        "Exit code as grep's: 0 found or done, 1 nothing found or a difference, 2 trouble.");
    app.failure_message(usage_error);
    const read_arguments arguments = read(argc, argv);
    command_line line(app, arguments.behind_marker);
    declare_all(line);
    app.require_subcommand(0, 1);
    try {
        std::vector<const char*> words;
        for (const std::string& word : arguments.words) words.push_back(word.c_str());
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError& stopped) {
        // --help and --version arrive here too, with exit code 0.
        if (app.exit(stopped) != 0) return exit_trouble;
        return finish(exit_done);
    }
    return finish(line.chosen() ? line.chosen()() : run_demo());
}

} // namespace
} // namespace everbloom::cli

int main(int argc, char** argv) {
    try {
        return everbloom::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("everbloom: out of memory; nothing was changed\n", stderr);
    } catch (const std::exception& unexpected) {
        fmt::print(stderr, "everbloom: {}\n", unexpected.what());
    }
    return everbloom::cli::exit_trouble;
}
