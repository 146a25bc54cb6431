// Cells that count exactly up to c and then stick for ever: c = 0 is a Bloom filter's bit, 2^b - 2 a sticky b-bit counter.
//
// N items were inserted, the share d of them removed again, k positions each in M cells; L = kN/M. A cell is empty afterwards
// if all of the j items that hit it left and j <= c, so that it never stuck (docs/models/counting.md):
//
//     fpr          = (1 - e^-L sum_{j=0..c} (dL)^j / j!)^k
//     deletability = 1 - (1 - e^-L sum_{j=0..c-1} L^j / j!)^k
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
    double cells;
    double hashes;
    std::uint64_t exact_up_to; // c

    [[nodiscard]] double fpr(double inserted, double deleted_share) const noexcept {
        const double load = hashes * inserted / cells;
        return std::pow(1 - std::exp(-load) * exponential_sum(deleted_share * load, exact_up_to), hashes);
    }

    [[nodiscard]] double deletability(double inserted) const noexcept {
        if (exact_up_to == 0) return 0;
        const double load = hashes * inserted / cells;
        return 1 - std::pow(1 - std::exp(-load) * exponential_sum(load, exact_up_to - 1), hashes);
    }
};

} // namespace everbloom
