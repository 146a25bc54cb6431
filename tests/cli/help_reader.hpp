// What the help of the program says, in pieces: its commands, their flags, their examples.
#pragma once

#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <set>
#include <sstream>

namespace everbloom::support {

/// The commands of the program, each as the words that call it; behind a command those that it has.
[[nodiscard]] inline std::vector<std::vector<std::string>>
commands_in_help(const workbench& here, const std::vector<std::string>& outer = {}) {
    std::vector<std::string> words = outer;
    words.emplace_back("--help");
    std::istringstream help(here.run(words).out);
    std::vector<std::vector<std::string>> found;
    bool in_list = false;
    for (std::string line; std::getline(help, line);) {
        if (line == "Commands:") {
            in_list = true;
        } else if (in_list && line.starts_with("  ")) {
            std::vector<std::string> name = outer;
            name.push_back(line.substr(2, line.find(' ', 2) - 2));
            const auto inner = commands_in_help(here, name);
            found.push_back(std::move(name));
            found.insert(found.end(), inner.begin(), inner.end());
        } else {
            in_list = false;
        }
    }
    return found;
}

[[nodiscard]] inline std::vector<std::string> examples_in_help(const std::string& help) {
    std::istringstream lines(help.substr(std::min(help.find("\nExamples:\n"), help.size())));
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) found.push_back(line.substr(2));
    }
    return found;
}

/// The help of a command, and what it says beyond that together with each kind of filter.
[[nodiscard]] inline std::string help_with_all_kinds(const workbench& here, std::vector<std::string> command) {
    command.emplace_back("--help");
    std::string help = here.run(command).out;
    if (help.find("'everbloom help KIND'") == std::string::npos) return help;
    std::set<std::string> lines;
    std::istringstream known(help);
    for (std::string line; std::getline(known, line);) lines.insert(line);
    command.emplace_back();
    for (const kind_info& kind : known_kinds()) {
        command.back() = kind.name;
        std::istringstream more(here.run(command).out);
        for (std::string line; std::getline(more, line);) {
            const std::string flag = line.substr(0, line.find(' ', 2));
            if (line.starts_with("  -") && lines.insert(flag).second) help += line + "\n";
        }
    }
    return help;
}

/// Of "  -q,--quiet    say nothing": -q and --quiet.
[[nodiscard]] inline std::vector<std::string> flags_in_help(const std::string& help) {
    std::istringstream lines(help);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  -")) continue;
        std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
        for (std::string name; std::getline(names, name, ',');) found.push_back(name);
    }
    return found;
}

} // namespace everbloom::support
