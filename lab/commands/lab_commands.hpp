// The commands of the laboratory.
#pragma once

#include "frame/command.hpp"

namespace everbloom::cli {

void declare_simulate(command_line& line);
void declare_reproduce(command_line& line);
void declare_report(command_line& line);
void declare_route(command_line& line);

} // namespace everbloom::cli
