// main: parses the command line, runs the chosen command, turns a failure into one line and exit code 2.
#include "commands/commands.hpp"
#include "commands/demo.hpp"
#include "frame/build_facts.hpp"
#include "frame/help_format.hpp"
#include "frame/interruption.hpp"
#include "frame/last_words.hpp"
#include "frame/program_path.hpp"
#include "frame/usage_error.hpp"
#include "output/change_record.hpp"
#include "output/message.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace everbloom::cli {
namespace {

/// The arguments, without the marker `--`. CLI11 would assign those after it to the wrong option; all of ours are file names, and ./
/// before a dash names the same file.
struct read_arguments {
    std::vector<std::string> words;
    std::size_t behind_marker = 0;
};

/// "help" asks for help as --help does: "everbloom help check" is "everbloom check --help". What is no command is a topic of its own
/// (commands/help.cpp).
void read_help(std::vector<std::string>& words) {
    if (words.size() < 2 || words[1] != "help") return;
    if (words.size() == 2) {
        words[1] = "--help";
        return;
    }
    const auto is_named = [&](const known_command& one) { return one.name.substr(0, one.name.find(' ')) == words[2]; };
    if (!std::any_of(known_commands.begin(), known_commands.end(), is_named)) return;
    words.erase(words.begin() + 1);
    words.emplace_back("--help");
}

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
    read_help(made.words);
    return made;
}

/// Ends the program by the signal that interrupted the command, which has cleaned up.
int end_by_signal(int number, const failure& why) {
    const bool says_what_was_done =
        why.sentence.starts_with("interrupted") && why.sentence != std::string_view(interruption::sentence);
    if (changed_files() != 0 && !says_what_was_done) {
        report_after_change("interrupted before the command was done");
    } else if (number != SIGPIPE) {
        say("everbloom: {}\n", says_what_was_done ? why.sentence : interruption::sentence);
    }
    ::signal(number, SIG_DFL);
    ::raise(number);
    return 128 + number;
}

int finish(const result<int>& finished) {
    if (!finished) {
        if (const int number = interruption::caught(); number != 0) return end_by_signal(number, finished.error());
    }
    // A closed pipe ends the program silently, but not after a change: that is reported.
    if (changed_files() != 0) ::signal(SIGPIPE, SIG_IGN);
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    const int reason = errno;
    if (!finished) return report_failure(finished.error());
    if (!flushed) return report_unwritten_output(reason != 0 ? reason : EIO);
    return *finished;
}

/// One parse of the command line. Bodies of commands refer to it.
class invocation {
public:
    invocation(const read_arguments& arguments, flag_selection selected)
        : app_("everbloom: membership filters for sets that change"), line_(app_, selected, arguments.behind_marker) {
        if (selected.is_everything()) {
            app_.formatter(std::make_shared<help_format>()); // before the commands, which inherit it
            app_.set_version_flag("--version", version_and_build_facts,
                                  "Print the version and build information, and exit");
            app_.footer(
                "\nWithout arguments everbloom runs a short demo. 'everbloom COMMAND --help' describes a command, "
                "'everbloom help KIND' a kind of filter.\n"
                "Exit status, as grep: 0 found or done, 1 nothing found or a difference, 2 error, nothing was "
                "changed;\n"
                "3 files were changed, but something failed afterwards: the message says what; do not repeat a "
                "removal.");
            app_.failure_message(usage_error);
        }
        declare_selected(line_);
        app_.require_subcommand(0, 1);
        for (const std::string& word : arguments.words) words_.push_back(word.c_str());
    }

    /// Throws CLI::ParseError for a usage error, and for --help.
    void parse() { app_.parse(static_cast<int>(words_.size()), words_.data()); }

    [[nodiscard]] CLI::App& app() noexcept { return app_; }
    [[nodiscard]] const command_line& line() const noexcept { return line_; }

private:
    CLI::App app_;
    command_line line_;
    std::vector<const char*> words_;
};

/// Runs the command. A user of an old flag name is told the new one, unless there is an error to tell.
int run_chosen(const command_line& line) {
    const result<int> finished = line.chosen() ? line.chosen()() : run_demo();
    if (finished) {
        for (const auto& [old_name, new_name] : line.old_names())
            say("everbloom: {} is now called {}; the old name still works\n", old_name, new_name);
    }
    return finish(finished);
}

/// Is it enough to declare the commands and flags that the command line names?
bool names_all_it_needs(const read_arguments& arguments) {
    if (arguments.words.size() < 2) return true;
    const auto named = std::find_if(known_commands.begin(), known_commands.end(),
                                    [&](const known_command& one) { return one.name == arguments.words[1]; });
    return named != known_commands.end() && !named->is_about_all;
}

/// Does the command write about all commands with all their flags, as a completion script does?
bool is_about_all(const read_arguments& arguments) {
    return std::any_of(known_commands.begin(), known_commands.end(), [&](const known_command& one) {
        return one.is_about_all && arguments.words.size() > 1 && one.name == arguments.words[1];
    });
}

int run(int argc, char** argv) {
    // A reader that closes the pipe (head) ends the program silently. Exceeding a file-size limit is a failed write, not a signal.
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_IGN);
    announce_interruptions();
    const read_arguments arguments = read(argc, argv);
    if (names_all_it_needs(arguments)) {
        invocation brief(arguments, flag_selection(arguments.words));
        bool understood = false;
        try {
            if (!brief.line().lacks_required_flag()) brief.parse();
            understood = !brief.line().lacks_required_flag();
        } catch (const CLI::ParseError&) {
            // Help, or a usage error: both need all commands and flags.
        }
        if (understood) return run_chosen(brief.line());
    }
    invocation whole(arguments,
                     is_about_all(arguments) ? flag_selection() : flag_selection::help_about(arguments.words));
    try {
        whole.parse();
    } catch (const CLI::ParseError& stopped) {
        // --help and --version end here too, with exit code 0.
        if (whole.app().exit(stopped) != 0) return exit_error;
        return finish(exit_done);
    }
    return run_chosen(whole.line());
}

} // namespace
} // namespace everbloom::cli

int main(int argc, char** argv) {
    everbloom::cli::occupy_closed_streams();
    if (argc > 0) everbloom::cli::remember_call_name(argv[0]);
    try {
        return everbloom::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        return everbloom::cli::report_no_memory();
    } catch (const std::system_error& refused) {
        // fmt::print throws it if standard output cannot be written.
        return everbloom::cli::report_unwritten_output(refused.code().value());
    } catch (const std::exception& unexpected) {
        if (everbloom::cli::changed_files() != 0) return everbloom::cli::report_after_change(unexpected.what());
        std::fprintf(stderr, "everbloom: %s\n", unexpected.what());
    }
    return everbloom::cli::exit_error;
}
