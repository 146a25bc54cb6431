// man: prints a manual page for man(1), or writes all of them into a directory.
#include "commands/commands.hpp"
#include "filters/output_file.hpp"
#include "frame/command_description.hpp"
#include "frame/manual/manual_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace everbloom::cli {
namespace {

struct man_options {
    std::vector<std::string> topic; // "gate", "generate"
    std::optional<std::string> out;
};

result<int> print_page(const std::vector<manual_page>& pages, const std::vector<std::string>& topic) {
    const std::string name = fmt::format("everbloom{}{}", topic.empty() ? "" : "-", fmt::join(topic, "-"));
    const auto found =
        std::find_if(pages.begin(), pages.end(), [&](const manual_page& page) { return page.name == name; });
    if (found == pages.end()) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("'{}' is not a command; 'everbloom --help' lists them", fmt::join(topic, " ")));
    }
    fmt::print("{}", found->text);
    return exit_done;
}

/// All pages are complete before the first one is in its place.
result<int> write_pages(const std::vector<manual_page>& pages, const std::string& directory) {
    std::error_code refused;
    std::filesystem::create_directories(directory, refused);
    if (refused) return fail(failure_reason::input_output, fmt::format("--out: {}: {}", directory, refused.message()));
    std::vector<output_file> outputs;
    for (const manual_page& page : pages) {
        auto begun = output_file::begin_other(fmt::format("{}/{}.1", directory, page.name), {}, readers::by_umask);
        if (!begun) return fail(std::move(begun.error()));
        outputs.push_back(std::move(*begun));
        if (auto prepared = outputs.back().prepare_text(page.text); !prepared) return fail(std::move(prepared.error()));
    }
    for (output_file& one : outputs) {
        if (auto published = one.publish(); !published) return fail(std::move(published.error()));
    }
    return exit_done;
}

/// For completion scripts.
std::vector<std::string> names_of_commands() {
    std::vector<std::string> names;
    names.reserve(std::size(known_commands));
    for (const known_command& one : known_commands) names.emplace_back(one.name);
    return names;
}

result<int> run_man(const command_line& line, const man_options& options) {
    const std::vector<manual_page> pages = manual_pages(line.describe());
    return options.out ? write_pages(pages, *options.out) : print_page(pages, options.topic);
}

} // namespace

void declare_man(command_line& line) {
    const auto options = std::make_shared<man_options>();
    command_flags command = line.add("man", "Print the manual page of everbloom or of a command",
                                     "everbloom man create > everbloom-create.1\n"
                                     "everbloom man --out man1 && ls man1 | head -n 3",
                                     [&line, options] { return run_man(line, *options); });
    const flag topic =
        *command.add_option("COMMAND", options->topic, "the command; without one, the page that lists all commands")
             ->suggests(names_of_commands())
             ->type_name("");
    command
        .add_option("--out", options->out,
                    "write all pages into this directory instead, everbloom.1 and everbloom-COMMAND.1")
        ->type_name("DIR")
        ->excludes(topic);
}

} // namespace everbloom::cli
