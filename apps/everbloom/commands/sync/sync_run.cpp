#include "commands/sync/sync_run.hpp"

#include "filters/noted_lengths.hpp"

#include <algorithm>

namespace everbloom::cli {

sync_run::sync_run(followed_options options, found_files found, start how) : options_(std::move(options)) {
    const bool is_new = !found.filter && !found.list;
    summary_.origin = is_new ? sync_origin::created : sync_origin::updated;
    if (how != start::as_it_is && !is_new) {
        rebuild_reason_ = how == start::rekey ? "requested by --rekey" : "requested by --rebuild";
    } else if (!is_new && !found.filter) {
        rebuild_reason_ = "the filter was missing, its list was not";
    } else if (!is_new && !found.agree()) {
        rebuild_reason_ = "it did not match its list: a sync was interrupted, or another command changed the filter";
    } else if (!is_new) {
        first_identity_ = found.list->facts.identity;
        filter_.emplace(std::move(*found.filter), options_, found.list->facts.undeletable);
    }
    if (found.list) list_ = std::move(found.list->keys);
    first_ = list_;
}

result<void> sync_run::go_to(key_list next) {
    if (!filter_) {
        const std::uint64_t shared = count_shared(list_, next);
        if (auto made = make_filter(next); !made) return made;
        const change_counts change{next.size() - shared, list_.size() - shared};
        note_revision(change, std::move(next), {}, 0);
        return {};
    }
    const std::size_t rebuilt_before = filter_->rebuilt().size();
    const list_change change = change_between(list_, next);
    if (!change.is_nothing()) {
        if (auto followed = filter_->follow(change, next); !followed) return followed;
    }
    note_revision({change.added.size(), change.removed.size()}, std::move(next), {}, rebuilt_before);
    return {};
}

result<void> sync_run::replay(const trace_revision& revision, key_arena& arena) {
    const replayed_revision done = cli::replay(list_, revision, arena);
    summary_.additions_ignored += done.additions_ignored;
    summary_.removals_ignored += done.removals_ignored;
    const list_change& change = done.change;
    key_list next = everbloom::changed(list_, change);
    const std::size_t rebuilt_before = filter_ ? filter_->rebuilt().size() : 0;
    if (!filter_) {
        if (auto made = make_filter(next); !made) return made;
    } else if (!change.is_nothing()) {
        if (auto followed = filter_->follow(change, next); !followed) return followed;
    }
    note_revision({change.added.size(), change.removed.size()}, std::move(next), revision.mark, rebuilt_before);
    return {};
}

result<void> sync_run::make_filter(const key_list& list) {
    auto made = followed_filter::make(options_, list, rebuild_reason_);
    if (!made) return fail(std::move(made.error()));
    filter_.emplace(std::move(*made));
    return {};
}

result<void> sync_run::protect(const key_list& negatives) {
    auto done = filter_->protect(negatives, list_);
    if (!done) return fail(std::move(done.error()));
    summary_.protected_keys = *done;
    return {};
}

void sync_run::note_lengths() {
    if (filter_->file().keys != key_type::cidr) return;
    noted_lengths lengths;
    for (const std::string_view key : list_) lengths.add(key);
    filter_->attach(lengths.note_for(filter_->file()));
}

void sync_run::note_revision(const change_counts& change, key_list next, std::string mark, std::size_t rebuilt_before) {
    list_ = std::move(next);
    const auto& reasons = filter_->rebuilt();
    summary_.revisions.push_back({std::move(mark), change.added, change.removed, list_.size(),
                                  saved_bytes(filter_->file()), filter_->now().fpr, filter_->undeletable(),
                                  reasons.size() == rebuilt_before ? std::nullopt : std::optional(reasons.back())});
}

list_facts sync_run::facts() const {
    const filter_file& file = filter_->file();
    return {file.keys, file.filter().kind_id(), options_.fpr, identity_of(file), filter_->undeletable()};
}

bool sync_run::changed() const noexcept {
    return summary_.origin == sync_origin::created || !filter_->rebuilt().empty() ||
           summary_.added() + summary_.removed() != 0 || identity_of(filter_->file()) != first_identity_;
}

sync_summary sync_run::summary() const {
    sync_summary made = summary_;
    made.unchanged = count_shared(first_, list_);
    made.revisions.back().bytes = saved_bytes(filter_->file()); // with an exclusion list, and the note
    if (const auto& exclusions = filter_->file().filter().exclusions()) {
        made.exclusion_bytes = exclusions->words().size_bytes();
    }
    return made;
}

} // namespace everbloom::cli
