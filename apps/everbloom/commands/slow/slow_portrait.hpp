// slow_portrait: what `show`, `verify` and `resize` say about a slow filter.
#pragma once

#include "output/json_output.hpp"

#include <everbloom/runtime/slow/slow_file.hpp>

#include <string>

namespace everbloom::cli {

/// The facts about a slow filter, read and measured once.
struct slow_portrait {
    slow_filter_file opened;
    slow_statistics seen;
    measurement now;
    std::uint64_t file_bytes = 0; // its length
    /// What it takes on the disk: free space in it takes none after a program has closed it.
    std::uint64_t disk_bytes = 0;

    /// Chance that a key that was never added is removed, or passes a verified query.
    [[nodiscard]] double absent_key_risk() const noexcept { return now.absent_key_risk.value_or(0); }
};

[[nodiscard]] result<slow_portrait> portray_slow_filter(const std::string& path);
[[nodiscard]] json slow_document(const slow_portrait& of);
void print_slow_portrait(const std::string& path, const slow_portrait& of);

} // namespace everbloom::cli
