// completion: scripts for bash, zsh and fish, generated from the description of the commands. They contain all flags and known values,
// so the shell never has to start the program.
#pragma once

#include "frame/command_description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::string bash_completion(const command_description& program);
[[nodiscard]] std::string zsh_completion(const command_description& program);
[[nodiscard]] std::string fish_completion(const command_description& program);

/// Text in single quotes; all three shells read '\'' as the quote itself.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// "a b c"
[[nodiscard]] std::string blank_separated(const std::vector<std::string>& words);

/// The name after the last blank: what is typed to get from `gate` to `gate generate`.
[[nodiscard]] std::string last_word(const std::string& name);

/// Empty for the program itself: the variable `command` of a script before a command was typed.
[[nodiscard]] std::string name_in_script(const command_description& command);

} // namespace everbloom::cli
