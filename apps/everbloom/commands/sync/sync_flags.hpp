// sync_flags: the flags of `sync`.
#pragma once

#include "filters/hasher_flags.hpp"
#include "frame/command_flags.hpp"
#include "frame/summary.hpp"
#include "keys/key_flags.hpp"

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct sync_flags {
    std::string path;
    std::vector<std::string> lists;
    std::optional<std::string> trace;
    std::optional<std::string> kind;
    std::optional<std::string> fpr;
    bool each = false;
    bool rebuild = false;
    bool allow_empty = false;
    bool dry_run = false;
    hasher_flags hashing;
    key_flags keys;
    summary_flags output;

    void declare(command_flags& command);
};

} // namespace everbloom::cli
