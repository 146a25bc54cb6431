// Cells that count exactly up to c and then saturate permanently: c = 0 is a Bloom filter's bit, 1 a ternary cell, 2^b - 2 a b-bit counter.
//
// N items were inserted, the share d of them removed again, k positions each in M cells; L = kN/M. A cell is saturated if more than c
// items ever hit it; otherwise it holds what is left of them (docs/models/saturating.md):
//
//     empty        = e^-L sum_{j=0..c} (dL)^j / j!
//     lone         = e^-L (1-d) L sum_{j=0..c-1} (dL)^j / j!        exactly one item left
//     fpr          = (1 - empty - (1-a) lone)^k                      a: chance that a lone item's cell matches an absent key
//     free         = e^-L sum_{j=0..c-1} L^j / j!                    a member's cell is not saturated
//     deletability = 1 - (1 - free)^k
#pragma once

#include <cmath>
#include <cstdint>

namespace everbloom {

/// sum_{j=0..last} x^j / j!, cut where the terms no longer count.
[[nodiscard]] inline double exponential_sum(double x, std::uint64_t last) noexcept {
    double term = 1;
    double sum = 1;
    for (std::uint64_t j = 1; j <= last; ++j) {
        term *= x / static_cast<double>(j);
        sum += term;
        if (static_cast<double>(j) > x && term < sum * 1e-17) break;
    }
    return sum;
}

struct saturating_cells {
    double load;               // L
    double deleted_share;      // d
    std::uint64_t exact_up_to; // c

    [[nodiscard]] double empty() const noexcept {
        return std::exp(-load) * exponential_sum(deleted_share * load, exact_up_to);
    }
    [[nodiscard]] double lone() const noexcept {
        if (exact_up_to == 0) return 0;
        return std::exp(-load) * (1 - deleted_share) * load * exponential_sum(deleted_share * load, exact_up_to - 1);
    }
    [[nodiscard]] double free() const noexcept {
        if (exact_up_to == 0) return 0;
        return std::exp(-load) * exponential_sum(load, exact_up_to - 1);
    }
    [[nodiscard]] double stuck() const noexcept { return 1 - std::exp(-load) * exponential_sum(load, exact_up_to); }
};

/// (1 - share)^k and its complement, exact for small shares.
[[nodiscard]] inline double at_least_one(double share, double hashes) noexcept {
    return share >= 1 ? 1 : -std::expm1(hashes * std::log1p(-share));
}

} // namespace everbloom
