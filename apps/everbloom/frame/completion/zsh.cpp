// The script for zsh: one function per command, each a call of _arguments with a line per flag.
#include "frame/completion/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;
using file_form = flag_description::file_form;

/// Brackets and colons mean something to _arguments.
std::string escaped(const std::string& text) {
    std::string made;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') made += '\\';
        made += c;
    }
    return made;
}

/// "KIND:(bloom blocked)", "FILE:_files"
std::string value_spec(const std::string& name, const flag_description& of) {
    const std::string words = "(" + blank_separated(of.words) + ")";
    std::string action;
    if (!of.words.empty() && of.file != file_form::none) {
        // The blank in front: _arguments shall not put options of its own behind the name.
        action = " _alternative 'words:word:" + words + "' 'files:file:_files'";
    } else if (!of.words.empty()) {
        action = words;
    } else if (of.file == file_form::directory) {
        action = "_files -/";
    } else if (of.file == file_form::file) {
        action = "_files";
    }
    return escaped(name.empty() ? "value" : name) + ":" + action;
}

std::vector<std::string> specs_of(const flag_description& flag) {
    std::vector<std::string> specs;
    for (const std::string& name : flag.names) {
        std::string spec = (flag.is_list ? "*" : "") + name + "[" + escaped(flag.meaning) + "]";
        if (flag.value == value_form::needed) spec += ":" + value_spec(flag.value_name, flag);
        if (flag.value == value_form::optional) spec += "::" + value_spec(flag.value_name, flag);
        specs.push_back(std::move(spec));
    }
    return specs;
}

std::string function_name(const command_description& command) {
    std::string name = command.name == "everbloom" ? "_everbloom" : "_everbloom_" + command.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

/// "((create\:"Make a new filter" add\:"..."))"
std::string command_words(const command_description& command) {
    std::string words;
    for (const command_description& inner : command.commands) {
        words += fmt::format("{}{}\\:\"{}\"", words.empty() ? "" : " ", last_word(inner.name), escaped(inner.summary));
    }
    return "((" + words + "))";
}

std::string function_of(const command_description& command) {
    std::vector<std::string> specs;
    for (const flag_description& flag : command.flags) {
        for (std::string& spec : specs_of(flag)) specs.push_back(std::move(spec));
    }
    for (const flag_description& argument : command.arguments) {
        specs.push_back((argument.is_list ? "*:" : ":") + value_spec(argument.names.front(), argument));
    }
    if (!command.commands.empty()) {
        specs.push_back("1:command:" + command_words(command));
        specs.emplace_back("*::argument:->behind");
    }
    std::string text = function_name(command) + "() {\n    local context state state_descr line\n";
    text += "    typeset -A opt_args\n    _arguments -C -s";
    for (const std::string& spec : specs) text += " \\\n        " + shell_quoted(spec);
    text += "\n";
    if (!command.commands.empty()) {
        text += "    [[ $state == behind ]] || return\n    case $line[1] in\n";
        for (const command_description& inner : command.commands) {
            text += fmt::format("    {}) {} ;;\n", last_word(inner.name), function_name(inner));
        }
        text += "    esac\n";
    }
    return text + "}\n";
}

} // namespace

std::string zsh_completion(const command_description& program) {
    std::string text = "#compdef everbloom\n# Completion of everbloom's command line in zsh; written by "
                       "'everbloom completion zsh'.\n\n";
    for (const command_description* command : all_commands(program)) text += function_of(*command) + "\n";
    text += function_of(program);
    // As a file in $fpath it is the body of _everbloom, called to complete; sourced, it has to announce itself.
    return text + "\nif [[ $funcstack[1] == _everbloom ]]; then\n    _everbloom \"$@\"\nelse\n"
                  "    compdef _everbloom everbloom\nfi\n";
}

} // namespace everbloom::cli
