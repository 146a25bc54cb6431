// command: a subcommand of the program: its flags, and a body that runs after parsing and returns an exit code.
//
// Each command is in commands/<name>.cpp, declares its flags (command_flags.hpp) and passes its body; main runs the chosen one. A body
// returns 0 (found, done), 1 (nothing found, a difference) or a failure, which becomes one line on stderr and exit code 2; or 3, if
// files were changed before the failure (change_record.hpp).
#pragma once

#include "frame/command_flags.hpp"

#include <everbloom/core/result.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace everbloom::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_nothing = 1;
inline constexpr int exit_error = 2; // nothing was changed
inline constexpr int exit_changed =
    3; // a file was changed, and something failed afterwards: do not repeat the command blindly

struct command_description;

using command_body = std::function<result<int>()>;

class command_line {
public:
    command_line(CLI::App& app, flag_selection selected, std::size_t arguments_behind_marker)
        : app_(app), arguments_behind_marker_(arguments_behind_marker), into_{selected, {}} {}

    /// A new subcommand, or ("gate generate") one of an existing subcommand. `examples` end its help text: one shell command per
    /// line; a line without `everbloom` gets it as a prefix.
    command_flags add(std::string_view name, std::string_view summary, std::string_view examples, command_body body);

    /// Which commands and flags are to be declared.
    [[nodiscard]] const flag_selection& selected() const noexcept { return into_.selected; }
    /// A required flag is not on the command line.
    [[nodiscard]] bool lacks_required_flag() const noexcept { return into_.lacks_required; }

    /// Old names of flags that are on the command line, each with its new name.
    [[nodiscard]] const std::map<std::string, std::string>& old_names() const noexcept { return into_.old_names; }

    /// The body of the subcommand that was on the command line, if any.
    [[nodiscard]] const command_body& chosen() const noexcept { return chosen_; }

    /// Everything that was declared, for completion scripts and the manual page.
    [[nodiscard]] command_description describe() const;

    /// The number of arguments after `--`; all of them are files.
    [[nodiscard]] std::size_t arguments_behind_marker() const noexcept { return arguments_behind_marker_; }

private:
    CLI::App& app_;
    std::size_t arguments_behind_marker_;
    command_body chosen_;
    declaration into_;
};

} // namespace everbloom::cli
