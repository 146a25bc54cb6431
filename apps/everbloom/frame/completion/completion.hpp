// Completion: scripts that let a shell finish what somebody began to type. Each is written from the description of the commands,
// with all their flags and words in it, so that the shell never has to ask the program.
#pragma once

#include "frame/command_description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::string bash_completion(const command_description& program);
[[nodiscard]] std::string zsh_completion(const command_description& program);
[[nodiscard]] std::string fish_completion(const command_description& program);

/// A text as a word of a shell, in single quotes: all three understand '\'' as the quote itself.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// "a b c"
[[nodiscard]] std::string blank_separated(const std::vector<std::string>& words);

/// The name behind the last blank: what is typed to get from `gate` to `gate generate`.
[[nodiscard]] std::string last_word(const std::string& name);

/// Of the program itself empty: what is in the variable `command` of a script before any command was typed.
[[nodiscard]] std::string name_in_script(const command_description& command);

} // namespace everbloom::cli
