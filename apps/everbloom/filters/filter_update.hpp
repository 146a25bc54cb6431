// filter_update: a filter file that is being changed, under a lock. The file stays as it is until `save`; only a slow filter changes as
// keys come, and is made durable by `save`.
#pragma once

#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"
#include "output/change_record.hpp"

#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/slow/slow_file.hpp>

#include <optional>
#include <string>
#include <utility>

namespace everbloom::cli {

class filter_update {
public:
    /// Locks before reading: the contents read are those that will be replaced.
    [[nodiscard]] static result<filter_update> begin(const std::string& path) {
        if (auto plausible = refuse_non_filter(path); !plausible) return fail(std::move(plausible.error()));
        auto update = output_file::begin_in_place(path);
        if (!update) return fail(std::move(update.error()));
        auto file = open_filter_argument(path);
        if (!file) return fail(std::move(file.error()));
        filter_update made(path);
        made.update_.emplace(std::move(*update));
        made.file_ = std::move(*file);
        return made;
    }
    /// The same for commands that also work on slow filters.
    [[nodiscard]] static result<filter_update> begin_any(const std::string& path) {
        if (!is_slow_filter(path)) return begin(path);
        auto slow = open_slow_filter(path, slow_access::write, slow_queries::verified);
        if (!slow) return fail(std::move(slow.error()));
        filter_update made(path);
        made.slow_.emplace(std::move(*slow));
        return made;
    }

    [[nodiscard]] filter_file& file() noexcept { return slow_ ? slow_->file : file_; }
    [[nodiscard]] any_filter& filter() noexcept { return file().filter(); }
    /// The file itself, after symbolic links; not of a slow filter.
    [[nodiscard]] const std::string& target() const noexcept { return update_->target(); }
    /// The slow filter, if it is one.
    [[nodiscard]] slow_elastic* slow() noexcept { return slow_ ? slow_->slow.get() : nullptr; }
    [[nodiscard]] result<void> save() {
        if (!slow_) return update_->save(file_);
        note_changed_file(path_);
        auto closed = slow_->close();
        if (!closed) return fail(in(path_, std::move(closed.error())));
        return {};
    }

private:
    explicit filter_update(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::optional<output_file> update_;
    filter_file file_;
    std::optional<slow_filter_file> slow_;
};

} // namespace everbloom::cli
