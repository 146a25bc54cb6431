// The script for fish: a line per flag, each with the condition under which it is offered.
#include "frame/completion/completion.hpp"

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;
using file_form = flag_description::file_form;

constexpr std::string_view beginning =
    R"(# Completion of everbloom's command line in fish; written by 'everbloom completion fish'.
function __everbloom_in --description 'Is this the command that is being written?'
    set -l command ''
    for word in (commandline -opc)
        switch "$command:$word"
{commands}        end
    end
    test "$command" = "$argv"
end

)";

/// Up to "-a words -d text", for one command.
std::string condition(const command_description& command) {
    return "complete -c everbloom -n " + shell_quoted("__everbloom_in \"" + name_in_script(command) + "\"");
}

constexpr std::string_view directories = "(__fish_complete_directories (commandline -ct))";

std::string value_of(const flag_description& flag) {
    if (flag.value != value_form::needed) return "";
    if (flag.file == file_form::file) return " -r -F";
    if (flag.file == file_form::directory) return " -x -a " + shell_quoted(directories);
    return " -x" + (flag.words.empty() ? "" : " -a " + shell_quoted(blank_separated(flag.words)));
}

std::string lines_of(const command_description& command) {
    std::string text;
    bool takes_files = false;
    for (const flag_description& argument : command.arguments) {
        takes_files = takes_files || argument.file != file_form::none;
        if (argument.words.empty()) continue;
        text += condition(command) + " -a " + shell_quoted(blank_separated(argument.words)) + "\n";
    }
    if (!takes_files) text += condition(command) + " -f\n";
    for (const command_description& inner : command.commands) {
        text += fmt::format("{} -a {} -d {}\n", condition(command), last_word(inner.name), shell_quoted(inner.summary));
    }
    for (const flag_description& flag : command.flags) {
        text += condition(command);
        for (const std::string& name : flag.names) {
            text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        text += value_of(flag) + " -d " + shell_quoted(flag.meaning) + "\n";
    }
    return text;
}

std::string cases_of_commands(const command_description& outer) {
    std::string lines;
    for (const command_description& inner : outer.commands) {
        const std::string typed = name_in_script(outer) + ":" + last_word(inner.name);
        lines += fmt::format("            case {}\n                set command {}\n", shell_quoted(typed),
                             shell_quoted(inner.name));
    }
    return lines;
}

} // namespace

std::string fish_completion(const command_description& program) {
    std::string commands = cases_of_commands(program);
    std::string lines = lines_of(program);
    for (const command_description* command : all_commands(program)) {
        commands += cases_of_commands(*command);
        lines += lines_of(*command);
    }
    return fmt::format(beginning, fmt::arg("commands", commands)) + lines;
}

} // namespace everbloom::cli
