// What the program says to a command line that it does not understand.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
} // namespace CLI

namespace everbloom::cli {

/// One line: what was wrong, what may have been meant, and which help explains it.
[[nodiscard]] std::string usage_error(const CLI::App* app, const CLI::Error& error);

} // namespace everbloom::cli
