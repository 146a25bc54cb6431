// Checkpoints of a long run: the outcome of each finished experiment in DIR/<paper>/checkpoints, so that an interrupted run goes on.
//
// A checkpoint is used only if it was made by the same version with the same scale, seed and inputs. When the report of a paper is
// written, its checkpoints are removed: the same command then measures anew.
#pragma once

#include "lab/papers/paper.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace everbloom::cli {

class checkpoints {
public:
    /// None: without a directory nothing is kept.
    checkpoints() = default;
    /// `run` describes everything that the numbers depend on.
    checkpoints(const std::string& directory, std::string_view paper, std::string run);

    /// The outcome of a finished experiment. A damaged or foreign checkpoint is as good as none.
    [[nodiscard]] std::optional<lab::outcome> find(std::string_view experiment) const;
    [[nodiscard]] result<void> keep(std::string_view experiment, const lab::outcome& found) const;
    /// Removes those of the paper, and their directory if nothing else is in it.
    void clear(const lab::paper& finished) const;

private:
    [[nodiscard]] std::string path_of(std::string_view experiment) const;

    std::string directory_; // empty: none
    std::string run_;
};

/// An outcome as text, and back; nullopt if it is no such text.
[[nodiscard]] std::string text_of(const lab::outcome& found, std::string_view run);
[[nodiscard]] std::optional<lab::outcome> outcome_of(std::string_view text, std::string_view run);

} // namespace everbloom::cli
