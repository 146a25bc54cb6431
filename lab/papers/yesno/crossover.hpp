// Crossover: the number of members from which on the Bloom filter has fewer false positives.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace everbloom::lab::yesno {

/// Where `ours` starts to exceed `theirs`, by linear interpolation. NaN: nowhere.
[[nodiscard]] inline double crossover(std::span<const double> x, std::span<const double> ours,
                                      std::span<const double> theirs) noexcept {
    for (std::size_t i = x.size(); i-- > 1;) {
        const double before = ours[i - 1] - theirs[i - 1];
        const double after = ours[i] - theirs[i];
        if (before <= 0 && after > 0) return x[i - 1] + (x[i] - x[i - 1]) * before / (before - after);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

} // namespace everbloom::lab::yesno
