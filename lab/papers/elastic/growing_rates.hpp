// FPR of a growing filter at several numbers of insertions, over several trials.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::lab::elastic {

/// Measured and predicted FPR after a number of insertions.
struct rate_at {
    std::uint64_t insertions = 0;
    estimate measured;
    std::optional<double> model;
};

/// One filter per trial, filled once; queried with absent keys at each of `moments` (in ascending order).
[[nodiscard]] result<std::vector<rate_at>> rates_while_growing(const laboratory& lab, const structure& wanted,
                                                               std::uint64_t bits,
                                                               std::span<const std::uint64_t> moments);

} // namespace everbloom::lab::elastic
