// Occupancy of an array with k positions per item, and the inverse: the number of items for an occupancy.
#pragma once

#include <cmath>
#include <cstdint>

namespace everbloom {

/// Chance that all of `hashes` random positions are occupied when `items` items have thrown `hashes` positions each into
/// `cells` cells: E[X^k] for the occupied share X, to second order in its spread (docs/models/bloom.md).
[[nodiscard]] inline double all_occupied(double cells, double hashes, double items) noexcept {
    const double throws = hashes * items;
    const double empty = std::exp(throws * std::log1p(-1 / cells));
    const double pair_empty = cells > 2 ? std::exp(throws * std::log1p(-2 / cells)) : 0.0;
    const double occupied = 1 - empty;
    const double variance = empty / cells + pair_empty * (1 - 1 / cells) - empty * empty;
    if (occupied <= 0) return 0;
    const double spread = hashes * (hashes - 1) / 2 * std::fmax(variance, 0.0) / (occupied * occupied);
    return std::fmin(1.0, std::pow(occupied, hashes) * (1 + spread));
}

/// The number of items whose expected occupied share is the one seen. A full array gives only a lower bound: one cell less.
[[nodiscard]] inline double items_for_occupied(double occupied_cells, double cells, double hashes) noexcept {
    if (cells <= 1) return occupied_cells;
    const double empty_share = (cells - std::fmin(occupied_cells, cells - 1)) / cells;
    return std::log(empty_share) / std::log1p(-1 / cells) / hashes;
}

} // namespace everbloom
