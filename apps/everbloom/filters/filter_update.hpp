// filter_update: a filter file that is being changed, under a lock. The file stays as it is until `save`.
#pragma once

#include "filters/filter_argument.hpp"
#include "filters/output_file.hpp"

#include <everbloom/runtime/filter_file.hpp>

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
        return filter_update(std::move(*update), std::move(*file));
    }

    [[nodiscard]] filter_file& file() noexcept { return file_; }
    [[nodiscard]] any_filter& filter() noexcept { return file_.filter(); }
    [[nodiscard]] result<void> save() { return update_.save(file_); }

private:
    filter_update(output_file update, filter_file file) : update_(std::move(update)), file_(std::move(file)) {}

    output_file update_;
    filter_file file_;
};

} // namespace everbloom::cli
