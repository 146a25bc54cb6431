// command_description: what a command is called, takes and says of itself, in plain data.
//
// CLI11 holds it too, but whoever includes CLI11 pays six seconds of compile time; completion scripts and the manual page are
// written from this. command_line::describe fills it in from what the commands declared, so that none of them can drift.
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
    std::vector<std::string> words; // that the value may be
    file_form file = file_form::none;
    bool is_needed = false;
    bool is_list = false; // may be given more than once
    std::string group;    // the heading in the help below which it stands
    std::string meaning;
};

struct command_description {
    std::string name; // "create", "gate generate"; of the whole program "everbloom"
    std::string summary;
    std::vector<flag_description> flags;
    std::vector<flag_description> arguments;
    std::string notes; // what the help says between flags and examples
    std::vector<std::string> examples;
    std::vector<command_description> commands;
};

/// A command and those behind it, each behind the one it belongs to; without the program itself.
[[nodiscard]] std::vector<const command_description*> all_commands(const command_description& program);

} // namespace everbloom::cli
