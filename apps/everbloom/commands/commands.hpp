// commands: all commands of the program, in the order of the help.
#pragma once

#include "commands/redis/redis_commands.hpp"
#include "frame/command.hpp"
#include "gate/commands/gate_commands.hpp"
#include "lab/commands/lab_commands.hpp"

#include <array>
#include <string_view>

namespace everbloom::cli {

void declare_create(command_line& line);
void declare_add(command_line& line);
void declare_check(command_line& line);
void declare_remove(command_line& line);
void declare_sync(command_line& line);
void declare_watch(command_line& line);
void declare_delta(command_line& line);
void declare_apply(command_line& line);
void declare_uniq(command_line& line);
void declare_merge(command_line& line);
void declare_intersect(command_line& line);
void declare_resize(command_line& line);
void declare_rekey(command_line& line);
void declare_export(command_line& line);
void declare_protect(command_line& line);
void declare_show(command_line& line);
void declare_diff(command_line& line);
void declare_verify(command_line& line);
void declare_convert(command_line& line);
void declare_plan(command_line& line);
void declare_help(command_line& line);
void declare_completion(command_line& line);
void declare_man(command_line& line);

/// A command by its name on the command line.
struct known_command {
    std::string_view name;
    void (*declare)(command_line& line);
    bool is_about_all = false; // its output describes all commands: all must be declared
};

inline constexpr std::array<known_command, 35> known_commands{{
    {"create", &declare_create},
    {"add", &declare_add},
    {"check", &declare_check},
    {"remove", &declare_remove},
    {"sync", &declare_sync},
    {"watch", &declare_watch},
    {"uniq", &declare_uniq},
    {"merge", &declare_merge},
    {"intersect", &declare_intersect},
    {"resize", &declare_resize},
    {"rekey", &declare_rekey},
    {"export", &declare_export},
    {"delta", &declare_delta},
    {"apply", &declare_apply},
    {"protect", &declare_protect},
    {"show", &declare_show},
    {"diff", &declare_diff},
    {"verify", &declare_verify},
    {"convert", &declare_convert},
    {"plan", &declare_plan},
    {"simulate", &declare_simulate},
    {"reproduce", &declare_reproduce},
    {"report", &declare_report},
    {"route", &declare_route},
    {"gate", &declare_gate},
    {"gate generate", &declare_gate_generate},
    {"redis", &declare_redis},
    {"redis push", &declare_redis_push},
    {"redis check", &declare_redis_check},
    {"redis sync", &declare_redis_sync},
    {"redis pull", &declare_redis_pull},
    {"redis split", &declare_redis_split},
    {"help", &declare_help},
    {"completion", &declare_completion, true},
    {"man", &declare_man, true},
}};

/// Those that the line selects.
inline void declare_selected(command_line& line) {
    for (const known_command& one : known_commands) {
        if (line.selected().covers_command(one.name)) one.declare(line);
    }
}

} // namespace everbloom::cli
