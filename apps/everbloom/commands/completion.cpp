// completion: prints a completion script for a shell.
#include "frame/completion/completion.hpp"

#include "commands/commands.hpp"
#include "frame/command_description.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace everbloom::cli {
namespace {

result<int> print_completion(const command_line& line, const std::string& shell) {
    const command_description program = line.describe();
    const std::string script = shell == "bash"  ? bash_completion(program)
                               : shell == "zsh" ? zsh_completion(program)
                                                : fish_completion(program);
    fmt::print("{}", script);
    return exit_done;
}

} // namespace

void declare_completion(command_line& line) {
    const auto shell = std::make_shared<std::string>();
    command_flags command = line.add("completion", "Print a completion script for bash, zsh or fish",
                                     "everbloom completion bash > everbloom.bash\n"
                                     "everbloom completion fish > everbloom.fish",
                                     [&line, shell] { return print_completion(line, *shell); });
    command.add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->one_of({"bash", "zsh", "fish"})
        ->type_name("");
    command.before_examples(
        "\nWhere to install it: bash ~/.local/share/bash-completion/completions/everbloom, zsh a file\n"
        "_everbloom in a directory of $fpath, fish ~/.config/fish/completions/everbloom.fish.\n");
}

} // namespace everbloom::cli
