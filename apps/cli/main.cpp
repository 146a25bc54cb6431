// everbloom: the command line. Parses, runs the chosen command, turns a failure into one sentence and exit code 2.
#include "commands/commands.hpp"
#include "demo.hpp"

#include <everbloom/version.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>

namespace everbloom::cli {
namespace {

int report(const failure& what) {
    fmt::print(stderr, "everbloom: {}\n", what.sentence);
    return exit_trouble;
}

int run(int argc, char** argv) {
    CLI::App app{"everbloom: membership filters for sets that change"};
    app.set_version_flag("--version", std::string(version_text));
    app.footer("\nWithout arguments everbloom shows itself in a short demo. 'everbloom COMMAND --help' explains a command.");
    command_line line(app);
    declare_all(line);
    app.require_subcommand(0, 1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& stopped) {
        // --help and --version arrive here too, with exit code 0.
        return app.exit(stopped) == 0 ? exit_done : exit_trouble;
    }
    const auto finished = line.chosen() ? line.chosen()() : run_demo();
    if (!finished) return report(finished.error());
    if (std::fflush(stdout) != 0) return report({failure_reason::input_output, "cannot write to standard output"});
    return *finished;
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
