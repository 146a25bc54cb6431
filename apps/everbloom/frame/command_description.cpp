#include "frame/command_description.hpp"

#include "frame/command.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;
using file_form = flag_description::file_form;

/// "SCALE:{glance,quick,full}": CLI11 appends the colon and what follows.
std::string value_name_of(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
}

/// Arguments are files unless they have a list of values; flags are files by the name of their value.
file_form file_form_of(const flag_description& made, const CLI::Option& option) {
    if (option.get_positional()) {
        return made.words.empty() || made.names.front() == "FILE" ? file_form::file : file_form::none;
    }
    if (made.value_name == "DIR") return file_form::directory;
    const bool is_file = made.value_name == "FILE" || made.value_name.find('.') != std::string::npos; // X.svg
    return is_file ? file_form::file : file_form::none;
}

flag_description describe(const CLI::Option& option, const value_words& words) {
    flag_description made;
    if (option.get_positional()) made.names.push_back(option.get_name(true));
    for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0 && option.get_type_size() > 0) {
        made.value = option.get_items_expected_min() > 0 ? value_form::needed : value_form::optional;
        made.value_name = value_name_of(option);
    }
    if (const auto found = words.find(&option); found != words.end()) made.words = found->second;
    made.file = file_form_of(made, option);
    made.is_needed = option.get_required();
    made.is_list = option.get_items_expected_max() > 1;
    made.group = option.get_group();
    made.meaning = option.get_description();
    if (!option.get_default_str().empty()) made.meaning += " (default: " + option.get_default_str() + ")";
    return made;
}

command_description describe(const CLI::App& app, const std::string& name, const value_words& words) {
    command_description made;
    made.name = name;
    made.summary = app.get_description();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue; // an alias
        (option->get_positional() ? made.arguments : made.flags).push_back(describe(*option, words));
    }
    const std::string footer = app.get_footer();
    const std::size_t examples = std::min(footer.find("\nExamples:\n"), footer.size());
    made.notes = footer.substr(0, examples);
    std::istringstream lines(footer.substr(examples));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) made.examples.push_back(line.substr(2));
    }
    const std::string before = app.get_parent() == nullptr ? "" : name + " ";
    for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) {
        made.commands.push_back(describe(*inner, before + inner->get_name(), words));
    }
    return made;
}

void append_all(const command_description& outer, std::vector<const command_description*>& found) {
    for (const command_description& one : outer.commands) {
        found.push_back(&one);
        append_all(one, found);
    }
}

} // namespace

command_description command_line::describe() const { return cli::describe(app_, "everbloom", into_.words); }

std::vector<const command_description*> all_commands(const command_description& program) {
    std::vector<const command_description*> found;
    append_all(program, found);
    return found;
}

} // namespace everbloom::cli
