#include "frame/manual/manual_page.hpp"

#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;

constexpr std::string_view description = R"(.SH DESCRIPTION
A membership filter answers whether a key is in a set with
.I surely not
or
.IR maybe ,
and needs a few bits per key. The false positive rate (FPR) is the share of absent keys that are answered with
.IR maybe ;
the capacity of a filter is the number of keys that it holds at its target FPR.
.B everbloom
creates filters from lists of keys, queries them, adds and removes keys, plans which kind of filter suits a workload, and measures filters.
.PP
Keys are read one per line from files or from standard input; the input may be compressed with gzip, zstd, xz or bzip2. Sizes may be
written as 10k, 4MiB or 1e6, rates as 0.001, 0.1% or 1/1000. Without arguments,
.B everbloom
runs a short demo.
)";

constexpr std::string_view ending = R"(.SH "EXIT STATUS"
.TP
.B 0
Something was found, or the command succeeded.
.TP
.B 1
Nothing was found, or there is a difference.
.TP
.B 2
An error: one line on standard error says what happened, where, and what to do. No file was changed.
.TP
.B 3
A file was changed, but something failed afterwards: the report could not be printed, memory ran out, or the disk did not confirm the
change. The message on standard error says "changed, but". Do not repeat a removal blindly.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set and not empty, the help is printed without colours. Output that is not a terminal never has colours.
.SH FILES
A filter is one file. Its format, version 1, is described in docs/format.md of the sources, in enough detail to write
another reader. The hash key of a filter is stored in its file: anyone who can read the file can choose keys that collide.
.SH "SEE ALSO"
.BR grep (1),
.BR sort (1),
.BR uniq (1)
)";

/// Text escaped for roff: backslashes and dashes as they are, no line that looks like a request.
std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        const bool begins_line = made.empty() || made.back() == '\n';
        if (begins_line && (c == '.' || c == '\'')) made += "\\&";
        if (c == '\\') {
            made += "\\e";
        } else if (c == '-') {
            made += "\\-";
        } else if (c == '\'') {
            made += "\\(aq";
        } else {
            made += c;
        }
    }
    return made;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fP"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fP"; }

/// Lines without filling.
std::string unfilled(std::string_view text) { return fmt::format(".nf\n{}.fi\n", escaped(text)); }

/// "create [flags] FILE [KEYS...]"
std::string synopsis(const command_description& command) {
    std::string made = bold("everbloom " + command.name) + " [" + italic("flags") + "]";
    for (const flag_description& argument : command.arguments) {
        const std::string name = italic(argument.names.front()) + (argument.is_list ? "..." : "");
        made += argument.is_needed ? " " + name : " [" + name + "]";
    }
    return made;
}

/// "-h, --help" or "--kind KIND", then its meaning.
std::string entry(const flag_description& flag) {
    std::string names;
    for (const std::string& name : flag.names) {
        names += (names.empty() ? "" : ", ") + (name.starts_with('-') ? bold(name) : italic(name));
    }
    if (!flag.value_name.empty() && flag.names.front().starts_with('-')) {
        const std::string value = italic(flag.value_name);
        names += flag.value == value_form::optional ? " [" + value + "]" : " " + value;
    }
    return fmt::format(".TP\n{}\n{}\n", names, escaped(flag.meaning));
}

std::string section(const command_description& command) {
    std::string text =
        fmt::format(".SS {}\n{}\n.PP\n{}.\n", bold(command.name), synopsis(command), escaped(command.summary));
    for (const flag_description& argument : command.arguments) text += entry(argument);
    for (const flag_description& flag : command.flags) {
        if (flag.names.back() != "--help") text += entry(flag); // every command has it
    }
    // The notes are between empty lines.
    const std::size_t begin = command.notes.find_first_not_of('\n');
    if (begin != std::string::npos) text += ".PP\n" + unfilled(command.notes.substr(begin));
    return text;
}

std::string examples(const command_description& command) {
    std::string lines;
    for (const std::string& line : command.examples) lines += line + "\n";
    return lines.empty() ? "" : unfilled(lines);
}

} // namespace

std::string manual_page(const command_description& program) {
    std::string text = fmt::format(".TH EVERBLOOM 1 \"\" \"everbloom {}\" \"User Commands\"\n", version_text);
    const std::string summary = program.summary.substr(program.summary.find(": ") + 2);
    text += fmt::format(".SH NAME\neverbloom \\- {}\n.SH SYNOPSIS\n", escaped(summary));
    text += bold("everbloom") + " " + italic("command") + " [" + italic("flags") + "] [" + italic("arguments") + "]\n";
    for (const flag_description& flag : program.flags)
        text += fmt::format(".br\n{} {}\n", bold("everbloom"), bold(flag.names.back()));
    text += description;
    text +=
        ".SH COMMANDS\nEvery command has the flag \\fB\\-\\-help\\fP, which lists its flags and shows two examples.\n";
    std::string shown;
    for (const command_description* command : all_commands(program)) {
        text += section(*command);
        shown += (shown.empty() ? "" : ".PP\n") + examples(*command);
    }
    return text + ".SH EXAMPLES\n" + shown + std::string(ending);
}

} // namespace everbloom::cli
