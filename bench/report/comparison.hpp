// Comparisons: a speed beside those of the others in the same run.
#pragma once

#include "report/results.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::bench {

/// The kind that everybody knows and that can remove keys: the yardstick among our own.
inline constexpr std::string_view yardstick = "counting";

struct ratio {
    std::string to;   // a contestant, or "raw"
    double value = 0; // our speed divided by that of the other
};

/// What a measurement is compared with: the yardstick, every peer, and the raw bound of memory of the filter's size. A peer without a
/// batch interface is compared with by its single one, the best it has.
[[nodiscard]] std::vector<ratio> ratios_of(const measured& one, const results& all);

[[nodiscard]] std::optional<double> ratio_to(std::string_view other, const measured& one, const results& all);

} // namespace everbloom::bench
