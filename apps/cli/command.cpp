#include "command.hpp"

#include <sstream>

namespace everbloom::cli {

CLI::App& command_line::add(const std::string& name, const std::string& summary, const std::string& examples,
                            command_body body) {
    CLI::App* command = app_.add_subcommand(name, summary)->group("Commands");
    std::string footer = "\nExamples:\n";
    std::istringstream lines(examples);
    for (std::string line; std::getline(lines, line);) {
        const bool is_complete = line.find("everbloom ") != std::string::npos;
        footer += (is_complete ? "  " : "  everbloom ") + line + "\n";
    }
    command->footer(footer);
    command->callback([this, body = std::move(body)] { chosen_ = body; });
    return *command;
}

} // namespace everbloom::cli
