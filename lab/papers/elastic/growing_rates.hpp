// The false positive rate of a filter at several moments of one life, over several lives.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::lab::elastic {

/// The rate after so many insertions, and what the model says.
struct rate_at {
    std::uint64_t insertions = 0;
    estimate measured;
    std::optional<double> model;
};

/// One filter per trial, filled once; asked about strangers whenever one of `moments` (in rising order) is reached.
[[nodiscard]] result<std::vector<rate_at>> rates_while_growing(const laboratory& lab, const structure& wanted,
                                                               std::uint64_t bits,
                                                               std::span<const std::uint64_t> moments);

} // namespace everbloom::lab::elastic
