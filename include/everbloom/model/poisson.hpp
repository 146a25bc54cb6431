// The Poisson distribution: how many of many rare things happen.
#pragma once

#include <cmath>

namespace everbloom {

/// The chance that exactly `count` happen where `mean` are expected; by logarithms, because e^-1000 is no number.
[[nodiscard]] inline double poisson_chance(double mean, double count) noexcept {
    if (!(mean > 0)) return count == 0 ? 1 : 0;
    return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
}

/// Beyond the mean plus this, and below the mean minus this, nothing is left that a double could add: eight standard deviations.
[[nodiscard]] inline double poisson_reach(double mean) noexcept { return 8 * std::sqrt(mean) + 8; }

/// The mean of value(count) over the counts.
template <class Function>
[[nodiscard]] double mean_over_poisson(double mean, Function value) {
    double sum = 0;
    double chances = 0;
    for (double count = std::floor(std::fmax(0.0, mean - poisson_reach(mean))); count <= mean + poisson_reach(mean);
         ++count) {
        const double chance = poisson_chance(mean, count);
        sum += chance * value(count);
        chances += chance;
    }
    return sum / chances;
}

} // namespace everbloom
