// sync_run: one run of `sync`, from the files found to the filter and the list that will be saved.
#pragma once

#include "commands/sync/followed_filter.hpp"
#include "commands/sync/sync_report.hpp"
#include "commands/sync/sync_start.hpp"
#include "commands/sync/trace.hpp"

#include <optional>
#include <string>

namespace everbloom::cli {

class sync_run {
public:
    enum class start { as_it_is, anew };

    sync_run(filter_wish wish, found_files found, start how);

    /// To the next list. The first step also repairs a filter that is not there, or is another than its list says.
    [[nodiscard]] result<void> go_to(key_list next);
    [[nodiscard]] result<void> replay(const trace_revision& revision, key_arena& arena);
    void note_repeated(std::uint64_t keys) noexcept { said_.repeated += keys; }

    [[nodiscard]] const followed_filter& filter() const noexcept { return *filter_; }
    [[nodiscard]] const key_list& list() const noexcept { return list_; }
    /// What the list's file says beside the keys.
    [[nodiscard]] list_facts facts() const;
    /// Is there anything to save?
    [[nodiscard]] bool changed() const noexcept;
    [[nodiscard]] sync_summary summary() const;

private:
    struct change_counts {
        std::uint64_t added;
        std::uint64_t removed;
    };

    /// The filter as it has to be for the first list.
    [[nodiscard]] result<void> make_filter(const key_list& list);
    void note_revision(const change_counts& change, key_list next, std::string mark, std::size_t rebuilt_before);

    filter_wish wish_;
    std::optional<followed_filter> filter_;
    std::string why_anew_; // the filter has to be made again, because
    key_list first_;
    key_list list_;
    sync_summary said_;
};

} // namespace everbloom::cli
