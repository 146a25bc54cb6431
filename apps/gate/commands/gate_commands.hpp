// Commands of the packet gate.
#pragma once

#include "frame/command.hpp"

namespace everbloom::cli {

void declare_gate(command_line& line);
void declare_gate_generate(command_line& line);

} // namespace everbloom::cli
