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

/// The load at which `positive` reaches `share`, by bisection.
template <class Positive>
[[nodiscard]] double load_for(double share, Positive positive) noexcept {
    double low = 0;
    double high = 1;
    while (positive(high) < share && high < 1e6) high *= 2;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (positive(middle) < share ? low : high) = middle;
    }
    return low;
}

/// `hashes` 0: choose them.
template <class Positive>
[[nodiscard]] result<cell_sizing> size_by_load(const workload& wanted, std::uint64_t hashes, Positive positive) {
    if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
    double fewest = 0;
    std::uint64_t best = 0;
    for (std::uint64_t k = hashes == 0 ? 1 : hashes; k <= (hashes == 0 ? max_hashes : hashes); ++k) {
        const double load = load_for(std::pow(wanted.fpr, 1 / static_cast<double>(k)), positive);
        if (!(load > 0)) continue;
        const double cells = std::ceil(static_cast<double>(k) * static_cast<double>(wanted.items) / load);
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
