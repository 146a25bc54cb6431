// Planning by load: the fewest cells that meet a target FPR, for any type of cell.
//
// For k hash functions the FPR is positive(L)^k, where positive(L) is the chance that a cell at load L = kn/M matches an absent key. It
// rises with L, so for every k there is one largest L, and M = kn/L cells. The best k needs the fewest.
#pragma once

#include <everbloom/core/units.hpp>
#include <everbloom/model/sizing.hpp>
#include <everbloom/model/workload.hpp>

#include <cmath>
#include <string>

namespace everbloom {

/// The load at which `positive` reaches `share`, by bisection. 0 as soon as it is known to be less than `least`.
template <class Positive>
[[nodiscard]] double load_for(double share, Positive positive, double least = 0) noexcept {
    double low = 0;
    double high = 1;
    while (positive(high) < share && high < 1e6) high *= 2;
    for (;;) {
        if (high < least) return 0;
        const double middle = (low + high) / 2;
        if (!(low < middle && middle < high) || high < 1e-30)
            return low; // there is no number between them, or none that counts
        (positive(middle) < share ? low : high) = middle;
    }
}

/// `hashes` 0: choose them.
template <class Positive>
[[nodiscard]] result<cell_sizing> size_by_load(const workload& wanted, std::uint64_t hashes, Positive positive) {
    if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
    double fewest = 0;
    std::uint64_t best = 0;
    for (std::uint64_t k = hashes == 0 ? 1 : hashes; k <= (hashes == 0 ? max_hashes : hashes); ++k) {
        const double positions = static_cast<double>(k) * static_cast<double>(wanted.items);
        // At a lower load than this there would be more cells than were found already.
        const double least_load = best == 0 ? 0 : positions / (fewest + 1);
        const double load = load_for(std::pow(wanted.fpr, 1 / static_cast<double>(k)), positive, least_load);
        if (!(load > 0)) continue;
        const double cells = std::ceil(positions / load);
        if (best == 0 || cells < fewest) {
            fewest = cells;
            best = k;
        }
    }
    if (best == 0 || !(fewest <= most_planned_cells)) return too_many_cells(wanted);
    return cell_sizing{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fewest)), best};
}

/// The k with the lowest FPR for a given number of cells.
template <class Positive>
[[nodiscard]] std::uint64_t hashes_with_lowest_rate(std::uint64_t cells, std::uint64_t items,
                                                    Positive positive) noexcept {
    double lowest = 2;
    std::uint64_t best = 1;
    for (std::uint64_t k = 1; k <= max_hashes; ++k) {
        const double load = static_cast<double>(k) * static_cast<double>(items) / static_cast<double>(cells);
        const double rate = std::pow(positive(load), static_cast<double>(k));
        if (rate < lowest) {
            lowest = rate;
            best = k;
        }
    }
    return best;
}

} // namespace everbloom
