#include "frame/completion/completion.hpp"

namespace everbloom::cli {

std::string shell_quoted(std::string_view text) {
    std::string made = "'";
    for (const char c : text) {
        if (c == '\'') {
            made += "'\\''";
        } else {
            made += c;
        }
    }
    return made + "'";
}

std::string blank_separated(const std::vector<std::string>& words) {
    std::string made;
    for (const std::string& word : words) made += (made.empty() ? "" : " ") + word;
    return made;
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

std::string name_in_script(const command_description& command) {
    return command.name == "everbloom" ? "" : command.name;
}

} // namespace everbloom::cli
