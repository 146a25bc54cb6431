// A command: a subcommand of the program with its flags, and a body that runs after parsing and returns an exit code.
//
// Each command lives in commands/<name>.cpp, declares its flags (command_flags.hpp) and hands over its body; main runs the one
// that was chosen. A body returns 0 (found, done), 1 (nothing found, a difference) or a failure, which becomes one sentence on
// stderr and exit code 2.
#pragma once

#include "command_flags.hpp"

#include <everbloom/core/result.hpp>

#include <functional>
#include <string>
#include <utility>

namespace everbloom::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_nothing = 1;
inline constexpr int exit_trouble = 2;

struct command_description;

using command_body = std::function<result<int>()>;

class command_line {
public:
    command_line(CLI::App& app, std::size_t arguments_behind_marker)
        : app_(app), arguments_behind_marker_(arguments_behind_marker) {}

    /// A new subcommand, or ("gate generate") one of a subcommand that is there; `examples` end its help text: one per line, as
    /// a shell takes them; a line that does not say `everbloom` gets it in front.
    command_flags add(const std::string& name, const std::string& summary, const std::string& examples,
                      command_body body);

    /// The body of the subcommand that was on the command line, if any.
    [[nodiscard]] const command_body& chosen() const noexcept { return chosen_; }

    /// Everything that was declared, for those who write it down: completion scripts, the manual page.
    [[nodiscard]] command_description describe() const;

    /// How many arguments stood behind `--`; all of them are files.
    [[nodiscard]] std::size_t arguments_behind_marker() const noexcept { return arguments_behind_marker_; }

private:
    CLI::App& app_;
    std::size_t arguments_behind_marker_;
    command_body chosen_;
    value_words words_;
};

} // namespace everbloom::cli
