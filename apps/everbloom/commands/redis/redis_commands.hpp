// Commands for filters on Redis servers.
#pragma once

#include "frame/command.hpp"

namespace everbloom::cli {

void declare_redis(command_line& line);
void declare_redis_push(command_line& line);
void declare_redis_check(command_line& line);
void declare_redis_sync(command_line& line);
void declare_redis_pull(command_line& line);
void declare_redis_split(command_line& line);

} // namespace everbloom::cli
