// Colours of the help, for a terminal: headings bold, the names of flags, arguments and commands in one colour. A reader that is no
// terminal gets the plain text, since other programs parse it.
#pragma once

#include <string>

namespace everbloom::cli {

/// Whether standard output is a terminal whose owner wants colours (https://no-color.org).
[[nodiscard]] bool output_wants_colours();

[[nodiscard]] std::string with_colours(const std::string& help);

} // namespace everbloom::cli
