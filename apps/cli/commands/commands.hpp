// Every command of the program, in the order of its help.
#pragma once

#include "command.hpp"

namespace everbloom::cli {

void declare_create(command_line& line);
void declare_add(command_line& line);
void declare_check(command_line& line);
void declare_remove(command_line& line);
void declare_sync(command_line& line);
void declare_uniq(command_line& line);
void declare_merge(command_line& line);
void declare_intersect(command_line& line);
void declare_resize(command_line& line);
void declare_protect(command_line& line);
void declare_show(command_line& line);
void declare_diff(command_line& line);
void declare_verify(command_line& line);
void declare_convert(command_line& line);
void declare_plan(command_line& line);
void declare_simulate(command_line& line);
void declare_reproduce(command_line& line);
void declare_report(command_line& line);
void declare_route(command_line& line);
void declare_gate(command_line& line);
void declare_gate_generate(command_line& line);
void declare_completion(command_line& line);
void declare_man(command_line& line);

inline void declare_all(command_line& line) {
    declare_create(line);
    declare_add(line);
    declare_check(line);
    declare_remove(line);
    declare_sync(line);
    declare_uniq(line);
    declare_merge(line);
    declare_intersect(line);
    declare_resize(line);
    declare_protect(line);
    declare_show(line);
    declare_diff(line);
    declare_verify(line);
    declare_convert(line);
    declare_plan(line);
    declare_simulate(line);
    declare_reproduce(line);
    declare_report(line);
    declare_route(line);
    declare_gate(line);
    declare_gate_generate(line);
    declare_completion(line);
    declare_man(line);
}

} // namespace everbloom::cli
