// What double hashing adds to the FPR of sparse filters. Derivation: docs/models/bloom.md.
//
// All k positions of a key follow from two numbers, start and step. If both of a key are within a cell or so of a member's, the two
// share three positions or more, whatever the other members are. The chance of that is of the order 1/m^2 for m cells; independent
// positions would need 1/m^3. Where hardly any cell is occupied it is larger than the FPR of independent positions.
#pragma once

#include <everbloom/probe/positions.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace everbloom {

/// The part of the FPR that comes from keys which share three positions or more with one of `items` members. `occupied` is the share of
/// occupied cells.
[[nodiscard]] inline double shared_positions(double cells, double hashes, double items, double occupied) noexcept {
    const double pairs = items / (cells * cells);
    constexpr double negligible = 1e-3; // of the FPR; the integral below is at most 1
    if (hashes < 3 || pairs < negligible * std::pow(occupied, hashes)) return 0;
    // With x and y for the distances of the two starts and steps, in cells, position i is shared with chance 1 - |x + iy|, and otherwise
    // occupied by another member: summed over all x and y, for at least three shared positions.
    constexpr double steps = 24; // per cell
    // The time grows with the square of the hashes, of which a forged file may claim thousands. With more of them less is shared.
    constexpr std::size_t most_hashes = 64;
    hashes = std::fmin(hashes, most_hashes);
    std::array<double, most_hashes + 1> all_occupied; // by number of cells
    all_occupied[0] = 1;
    for (std::size_t i = 1; i <= most_hashes; ++i) all_occupied[i] = all_occupied[i - 1] * occupied;
    double sum = 0;
    for (double y = 0.5 / steps; y < 1; y += 1 / steps) {
        for (double x = 0.5 / steps - hashes * y - 1; x < 1; x += 1 / steps) {
            // Only these positions can be shared; the others are occupied or not.
            const double from = std::fmax(0, std::ceil((-1 - x) / y));
            const double to = std::fmin(hashes, std::floor((1 - x) / y) + 1);
            if (to - from < 3) continue;
            std::array<double, 4> shared{1, 0, 0, 0}; // 0, 1, 2, more
            for (double i = from; i < to; ++i) {
                const double same = std::fmax(0.0, 1 - std::fabs(x + i * y)) * (1 - occupied);
                shared[3] = shared[3] * (same + occupied) + shared[2] * same;
                shared[2] = shared[2] * occupied + shared[1] * same;
                shared[1] = shared[1] * occupied + shared[0] * same;
                shared[0] *= occupied;
            }
            sum += shared[3] * all_occupied[static_cast<std::size_t>(hashes - (to - from))];
        }
    }
    return std::fmin(1.0, pairs * 2 * sum / (steps * steps)); // twice: steps that are smaller by y
}

/// The same for a filter of that probe scheme; nothing for independent positions.
[[nodiscard]] inline double linked_positions(probe_scheme scheme, double cells, double hashes, double items,
                                             double occupied) noexcept {
    return scheme == probe_scheme::double_hashing ? shared_positions(cells, hashes, items, occupied) : 0;
}

/// In a plan, more than this share of the target FPR is too much: positions are independent instead.
inline constexpr double most_linked_share = 1.0 / 50;

} // namespace everbloom
