// usage_error: the message for a command line that cannot be parsed.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
} // namespace CLI

namespace everbloom::cli {

/// One line: what is wrong, a suggestion, and which help to read.
[[nodiscard]] std::string usage_error(const CLI::App* app, const CLI::Error& error);

} // namespace everbloom::cli
