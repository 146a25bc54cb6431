// sync_run: one run of `sync`, from the existing files to the filter and the list to save.
#pragma once

#include "commands/sync/sync_report.hpp"
#include "commands/sync/sync_start.hpp"
#include "commands/sync/trace.hpp"

#include <everbloom/jobs/followed_filter.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

class sync_run {
public:
    enum class start { as_it_is, rebuild, rekey };

    sync_run(followed_options options, found_files found, start how);

    /// Updates to the next list. The first call also rebuilds a filter that is missing or does not match its list.
    [[nodiscard]] result<void> go_to(key_list next);
    [[nodiscard]] result<void> replay(const trace_revision& revision, key_arena& arena);
    /// Makes the filter answer no for known negatives, none of which is a member.
    [[nodiscard]] result<void> protect(const key_list& negatives);
    /// Keys of the list that were left out, or known negatives: because the other list names them as well.
    void note_overlap(std::uint64_t keys) noexcept { summary_.overlap = keys; }
    /// Attaches the note about prefix lengths, if keys are networks.
    void note_lengths();
    void note_repeated(std::uint64_t keys) noexcept { summary_.repeated += keys; }

    [[nodiscard]] const followed_filter& filter() const noexcept { return *filter_; }
    [[nodiscard]] const key_list& list() const noexcept { return list_; }
    /// The data of the list file besides the keys.
    [[nodiscard]] list_facts facts() const;
    /// Is there anything to save?
    [[nodiscard]] bool changed() const noexcept;
    [[nodiscard]] sync_summary summary() const;

private:
    struct change_counts {
        std::uint64_t added;
        std::uint64_t removed;
    };

    /// Builds the filter for the first list.
    [[nodiscard]] result<void> make_filter(const key_list& list);
    void note_revision(const change_counts& change, key_list next, std::string mark, std::size_t rebuilt_before);

    followed_options options_;
    std::optional<followed_filter> filter_;
    std::string rebuild_reason_;
    std::uint64_t first_identity_ = 0;
    key_list first_;
    key_list list_;
    sync_summary summary_;
};

} // namespace everbloom::cli
