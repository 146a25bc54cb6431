// summary: the output of a command that changed a filter: one line for people, or one JSON document for programs.
#pragma once

#include "frame/command_flags.hpp"
#include "output/json_output.hpp"
#include "output/progress.hpp"

#include <everbloom/runtime/filter_file.hpp>

#include <string>

namespace everbloom::cli {

struct summary_flags {
    bool as_json = false;
    bool quiet = false;

    void declare(command_flags& command);
    [[nodiscard]] bool wants_text() const noexcept { return !as_json && !quiet; }
    [[nodiscard]] progress::mode progress_mode() const noexcept {
        return quiet ? progress::mode::silent : progress::mode::shown;
    }
};

/// {"items": 1000, "fpr": 0.001}, or null for a filter without a capacity.
[[nodiscard]] json to_json(const capacity_target& target);

} // namespace everbloom::cli
