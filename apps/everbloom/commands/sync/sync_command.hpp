// sync_command: one sync from the files to the files, for `sync` and `watch`.
#pragma once

#include "commands/sync/sync_flags.hpp"

#include <everbloom/core/result.hpp>

namespace everbloom::cli {

/// Follows these lists, or the trace of the flags. Returns the exit code.
[[nodiscard]] result<int> run_sync(const sync_flags& flags, const std::vector<std::string>& lists);

} // namespace everbloom::cli
