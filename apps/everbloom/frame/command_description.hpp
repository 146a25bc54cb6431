// command_description: name, flags, arguments and summary of a command, as plain data.
//
// Completion scripts and the manual page are generated from it. CLI11 has the same data, but including CLI11 costs six seconds of
// compile time. command_line::describe fills it in from what the commands declared, so none of them can drift. Aliases are left out.
#pragma once

#include <string>
#include <vector>

namespace everbloom::cli {

struct flag_description {
    enum class value_form { none, optional, needed };
    enum class file_form { none, file, directory };

    std::vector<std::string> names; // "-q", "--quiet"; of an argument only its name, "FILE"
    value_form value = value_form::none;
    std::string value_name;         // "KIND"; empty if there is none
    std::vector<std::string> words; // known values
    file_form file = file_form::none;
    bool is_needed = false;
    bool is_list = false; // may be given more than once
    std::string group;    // its heading in the help
    std::string meaning;
};

struct command_description {
    std::string name; // "create", "gate generate"; of the whole program "everbloom"
    std::string summary;
    std::vector<flag_description> flags;
    std::vector<flag_description> arguments;
    std::string notes; // text between flags and examples
    std::vector<std::string> examples;
    std::vector<command_description> commands;
};

/// All commands, each followed by its subcommands; without the program itself.
[[nodiscard]] std::vector<const command_description*> all_commands(const command_description& program);

} // namespace everbloom::cli
