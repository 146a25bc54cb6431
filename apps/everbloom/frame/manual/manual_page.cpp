#include "frame/manual/manual_page.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace everbloom::cli {
namespace {

using value_form = flag_description::value_form;

constexpr std::string_view description = R"(.SH DESCRIPTION
A membership filter answers the question whether a key is in a set with
.I surely not
or
.IR maybe ,
in a few bits per key.
.B everbloom
makes filters, fills them from lists, asks them, and takes keys out again; it says which kind of filter suits a job, and measures what
filters do.
.PP
Keys come one per line from the files named or from standard input, and may be compressed by gzip, zstd, xz or bzip2. Sizes may be written as 10k,
4MiB or 1e6, rates as 0.001, 0.1% or 1/1000. Without arguments,
.B everbloom
shows itself in a short demo.
)";

constexpr std::string_view ending = R"(.SH "EXIT STATUS"
.TP
.B 0
Something was found, or the work is done.
.TP
.B 1
Nothing was found, or there is a difference.
.TP
.B 2
An error: one sentence on standard error says what was wrong, where, and what to do. Files are as they were before.
.TP
.B 3
A file was changed, but something failed afterwards: the report could not be printed, memory ran out, or the disk did not confirm the
change. The sentence on standard error says "changed, but". The change is not to be repeated blindly.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If it is set and not empty, the help has no colours. On anything but a terminal it never has.
.SH FILES
A filter is one file. Its format, version {}, is described in docs/format.md of the sources, completely enough to write another reader
from. The hash key of a filter is in its file: whoever can read the file can choose keys that collide.
.SH "SEE ALSO"
.BR grep (1),
.BR sort (1),
.BR uniq (1)
)";

/// A text as roff reads it: backslashes and dashes as they are, no line that looks like a request.
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

/// Lines that stay as they are.
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

/// "-h, --help" or "--kind KIND", then what it means.
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
    // The notes stand between empty lines.
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
    text += ".SH COMMANDS\nEvery command has the flag \\fB\\-\\-help\\fP, which explains it and shows two examples.\n";
    std::string shown;
    for (const command_description* command : all_commands(program)) {
        text += section(*command);
        shown += (shown.empty() ? "" : ".PP\n") + examples(*command);
    }
    return text + ".SH EXAMPLES\n" + shown + fmt::format(ending, v1::version);
}

} // namespace everbloom::cli
