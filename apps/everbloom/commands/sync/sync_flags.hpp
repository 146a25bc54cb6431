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
    std::vector<std::string> negatives; // --protect
    bool members_win = false;
    bool negatives_win = false;
    bool each = false;
    bool rebuild = false;
    bool rekey = false;
    [[nodiscard]] bool rebuilds() const noexcept { return rebuild || rekey; }
    bool allow_empty = false;
    bool dry_run = false;
    hasher_flags hashing;
    key_flags keys;
    summary_flags output;

    /// FILE and LIST...
    void declare_lists(command_flags& command, std::string_view lists_meaning);
    void declare_trace(command_flags& command);
    /// What the filter is to be.
    void declare_filter(command_flags& command);
};

} // namespace everbloom::cli
