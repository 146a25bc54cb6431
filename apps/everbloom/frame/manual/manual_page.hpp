// manual_page: the man page, in man(7) macros, generated from the description of the commands.
#pragma once

#include "frame/command_description.hpp"

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string manual_page(const command_description& program);

} // namespace everbloom::cli
