#include "frame/manual/manual_page.hpp"

#include "frame/command_flags.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

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

constexpr std::string_view first_steps = R"(.SH EXAMPLES
A filter of the lines of a file, then the lines of another file that may be in it:
.PP
.nf
everbloom create names.eb names.txt \-\-fpr 1%
everbloom check names.eb others.txt
.fi
)";

constexpr std::string_view exit_status = R"(.SH "EXIT STATUS"
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
)";

constexpr std::string_view ending = R"(.SH ENVIRONMENT
.TP
.B NO_COLOR
If set and not empty, the help is printed without colours. Output that is not a terminal never has colours.
.TP
.B EVERBLOOM_HUGE_PAGES
If "off", filters of 2 MiB and more are kept in pages of the usual size instead of huge pages of 2 MiB.
.SH FILES
A filter is one file. Its format, version {}, is described in docs/format.md of the sources, in enough detail to write
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

/// "gate generate" is described on everbloom-gate-generate(1).
std::string page_name(const command_description& command) {
    std::string name = "everbloom-" + command.name;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string reference(std::string_view page) { return fmt::format(".BR {} (1)\n", escaped(page)); }

/// The line that every page begins with; man(1) shows it at the top and at the bottom.
std::string title(std::string_view page) {
    std::string capitals(page);
    std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return fmt::format(".TH {} 1 {} \"everbloom {}\" \"User Commands\"\n", escaped(capitals), release_date,
                       version_text);
}

/// The name of a page and what it is about, by which apropos(1) finds it: "create a filter", without the point of a sentence.
std::string name_section(std::string_view page, std::string summary) {
    if (summary.ends_with('.')) summary.pop_back();
    if (summary.size() > 1 && std::islower(static_cast<unsigned char>(summary[1])) != 0)
        summary.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(summary.front())));
    return fmt::format(".SH NAME\n{} \\- {}\n", escaped(page), escaped(summary));
}

/// The flags under the headings that the help has.
std::string options(const command_description& command) {
    std::vector<std::string> groups;
    for (const flag_description& flag : command.flags) {
        if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) groups.push_back(flag.group);
    }
    std::string text = ".SH OPTIONS\n";
    for (const std::string& group : groups) {
        if (groups.size() > 1)
            text += fmt::format(".SS {}\n", escaped(group == group_not_in_help ? "Further options" : group));
        for (const flag_description& flag : command.flags) {
            if (flag.group == group) text += entry(flag);
        }
    }
    return text;
}

std::string list(const std::vector<const command_description*>& commands) {
    std::string text;
    for (const command_description* one : commands)
        text += fmt::format(".TP\n.BR {} (1)\n{}.\n", escaped(page_name(*one)), escaped(one->summary));
    return text;
}

std::string command_page(const command_description& command) {
    const std::string name = page_name(command);
    std::string text = title(name) + name_section(name, command.summary);
    text += fmt::format(".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}.\n", synopsis(command), escaped(command.summary));
    for (const flag_description& argument : command.arguments) text += entry(argument);
    if (!command.commands.empty()) {
        text += ".SH COMMANDS\n";
        for (const command_description& inner : command.commands) text += list({&inner});
    }
    text += options(command);
    // The notes are between empty lines.
    const std::size_t begin = command.notes.find_first_not_of('\n');
    if (begin != std::string::npos) text += ".SH NOTES\n" + unfilled(command.notes.substr(begin));
    std::string lines;
    for (const std::string& line : command.examples) lines += line + "\n";
    if (!lines.empty()) text += ".SH EXAMPLES\n" + unfilled(lines);
    text += exit_status;
    return text + ".SH \"SEE ALSO\"\n" + reference("everbloom");
}

std::string program_page(const command_description& program) {
    const std::string summary = program.summary.substr(program.summary.find(": ") + 2);
    std::string text = title("everbloom") + name_section("everbloom", summary) + ".SH SYNOPSIS\n";
    text += bold("everbloom") + " " + italic("command") + " [" + italic("flags") + "] [" + italic("arguments") + "]\n";
    for (const flag_description& flag : program.flags)
        text += fmt::format(".br\n{} {}\n", bold("everbloom"), bold(flag.names.back()));
    text += description;
    text += ".SH COMMANDS\nEach has a page of its own; \\fBeverbloom\\fP \\fIcommand\\fP \\fB\\-\\-help\\fP prints the "
            "same.\n";
    text += list(all_commands(program));
    text += first_steps;
    text += exit_status;
    return text + fmt::format(ending, v1::version);
}

} // namespace

std::vector<manual_page> manual_pages(const command_description& program) {
    std::vector<manual_page> pages{{"everbloom", program_page(program)}};
    for (const command_description* command : all_commands(program))
        pages.push_back({page_name(*command), command_page(*command)});
    return pages;
}

} // namespace everbloom::cli
