// The script for bash: a function that finds the command among the words before the cursor, then chooses by the flag before it.
#include "frame/completion/completion.hpp"

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;
using file_form = flag_description::file_form;

constexpr std::string_view script =
    R"(# Completion of everbloom's command line in bash; written by 'everbloom completion bash'.
_everbloom() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' flags='' words='' files='' i
    # bash takes --flag=value for three words.
    if [[ $current == '=' ]]; then
        current=''
    elif [[ $before == '=' ]]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "$command:${{COMP_WORDS[i]}}" in
{commands}        esac
    done
    case "$command:$before" in
{values}    *)
        case $command in
{words}        esac
        [[ $current != -* && -n $words$files ]] || words=$flags files=''
        ;;
    esac
    COMPREPLY=()
    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen "$files" -- "$current")
    fi
}}
complete -F _everbloom everbloom
)";

/// How compgen is asked for files of a sort.
std::string_view compgen_flag(file_form form) {
    switch (form) {
    case file_form::file: return "-f";
    case file_form::directory: return "-d";
    case file_form::none: break;
    }
    return "";
}

/// "words='a b' files=-f", what there is of it.
std::string assignments(const std::vector<std::string>& words, file_form file) {
    std::string made;
    if (!words.empty()) made += " words=" + shell_quoted(blank_separated(words));
    if (file != file_form::none) made += fmt::format(" files={}", compgen_flag(file));
    return made;
}

/// "create:--kind) words='bloom blocked' ;;". A value that nobody can guess has its line too, so that no flag is offered for it.
std::string lines_of_values(const command_description& command) {
    std::string lines;
    for (const flag_description& flag : command.flags) {
        if (flag.value != value_form::needed) continue;
        std::string names;
        for (const std::string& name : flag.names) {
            names += (names.empty() ? "" : " | ") + shell_quoted(name_in_script(command) + ":" + name);
        }
        lines += fmt::format("    {}){} ;;\n", names, assignments(flag.words, flag.file));
    }
    return lines;
}

/// "create) flags='--kind --items' files=-f ;;"
std::string line_of_words(const command_description& command) {
    std::vector<std::string> flags;
    for (const flag_description& flag : command.flags) flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    std::vector<std::string> words;
    for (const command_description& inner : command.commands) words.push_back(last_word(inner.name));
    file_form file = file_form::none;
    for (const flag_description& argument : command.arguments) {
        words.insert(words.end(), argument.words.begin(), argument.words.end());
        if (argument.file != file_form::none) file = argument.file;
    }
    return fmt::format("        {}) flags={}{} ;;\n", shell_quoted(name_in_script(command)),
                       shell_quoted(blank_separated(flags)), assignments(words, file));
}

std::string lines_of_commands(const command_description& outer) {
    std::string lines;
    for (const command_description& inner : outer.commands) {
        const std::string typed = name_in_script(outer) + ":" + last_word(inner.name);
        lines += fmt::format("        {}) command={} ;;\n", shell_quoted(typed), shell_quoted(inner.name));
    }
    return lines;
}

} // namespace

std::string bash_completion(const command_description& program) {
    std::string commands = lines_of_commands(program);
    std::string values = lines_of_values(program);
    std::string words = line_of_words(program);
    for (const command_description* command : all_commands(program)) {
        commands += lines_of_commands(*command);
        values += lines_of_values(*command);
        words += line_of_words(*command);
    }
    return fmt::format(script, fmt::arg("commands", commands), fmt::arg("values", values), fmt::arg("words", words));
}

} // namespace everbloom::cli
