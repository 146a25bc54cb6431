// sync_report: the output of `sync`, with --each after every revision of a trace.
#pragma once

#include "frame/summary.hpp"

#include <everbloom/jobs/followed_filter.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

/// The filter after one revision.
struct revision_summary {
    std::string mark;
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
    double fpr = 0;
    std::uint64_t undeletable = 0;
    std::optional<std::string> rebuilt; // the reason
};

enum class sync_origin { created, updated };

struct sync_summary {
    std::string path;
    std::string list_path;
    sync_origin origin = sync_origin::updated;
    bool dry_run = false;
    std::uint64_t list_bytes = 0;
    std::uint64_t repeated = 0;  // duplicates in LIST
    std::uint64_t unchanged = 0; // members before and after
    std::uint64_t additions_ignored = 0;
    std::uint64_t removals_ignored = 0;
    std::optional<protection> protected_keys; // with --protect
    std::uint64_t overlap = 0;                // keys in both lists
    std::uint64_t exclusion_bytes = 0;
    std::vector<revision_summary> revisions; // one, if there was no trace

    [[nodiscard]] std::uint64_t added() const noexcept;
    [[nodiscard]] std::uint64_t removed() const noexcept;
};

enum class each_revision { hidden, shown };

void print_sync(const sync_summary& summary, const followed_filter& filter, const summary_flags& output,
                each_revision wanted);

} // namespace everbloom::cli
