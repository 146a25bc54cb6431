#include "frame/help_colours.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace everbloom::cli {
namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view cyan = "\x1b[36m";
constexpr std::string_view plain = "\x1b[0m";

std::string painted(std::string_view colour, std::string_view text) {
    return std::string(colour) + std::string(text) + std::string(plain);
}

/// "Options:"
bool is_heading(std::string_view line) {
    return line.ends_with(':') && std::isupper(static_cast<unsigned char>(line.front())) != 0;
}

/// "  --kind KIND   kind of filter": how far the names reach; 0 if the line is something else. Names stand two columns from the left,
/// and two blanks, or the end of the line, are behind them.
std::size_t end_of_names(std::string_view line) {
    if (line.size() < 3 || !line.starts_with("  ") || line[2] == ' ') return 0;
    return std::min(line.find("  ", 2), line.size());
}

} // namespace

bool output_wants_colours() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (refused == nullptr || *refused == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb" &&
           ::isatty(STDOUT_FILENO) == 1;
}

std::string with_colours(const std::string& help) {
    constexpr std::string_view usage = "Usage:";
    std::istringstream lines(help);
    std::string made;
    bool in_examples = false;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t names = end_of_names(line);
        if (line.starts_with(usage)) {
            made += painted(bold, usage) + line.substr(usage.size());
        } else if (!line.empty() && is_heading(line)) {
            in_examples = line == "Examples:";
            made += painted(bold, line);
        } else if (names > 0 && !in_examples) { // examples are to be copied, not looked at
            made += "  " + painted(cyan, line.substr(2, names - 2)) + line.substr(names);
        } else {
            made += line;
        }
        made += '\n';
    }
    return made;
}

} // namespace everbloom::cli
