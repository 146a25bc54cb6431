// manual_page: the man pages, in man(7) macros, generated from the description of the commands: everbloom(1) with the list of commands,
// and one page per command, everbloom-create(1).
#pragma once

#include "frame/command_description.hpp"

#include <string>
#include <vector>

namespace everbloom::cli {

struct manual_page {
    std::string name; // "everbloom-gate-generate"; the file has the ending .1
    std::string text;
};

/// The page of the program first, then those of its commands.
[[nodiscard]] std::vector<manual_page> manual_pages(const command_description& program);

} // namespace everbloom::cli
