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

/// Above this load e^load is too large for a double.
inline constexpr double most_summed_load = 700;

/// The chance of at most `last` items where `mean` are expected: a sum, or the normal distribution where there are many.
[[nodiscard]] inline double poisson_at_most(double mean, std::uint64_t last) noexcept {
    if (mean <= most_summed_load) return std::exp(-mean) * exponential_sum(mean, last);
    return std::erfc((mean - static_cast<double>(last) - 0.5) / std::sqrt(2 * mean)) / 2;
}

struct saturating_cells {
    double load;               // L
    double deleted_share;      // d
    std::uint64_t exact_up_to; // c

    [[nodiscard]] double empty() const noexcept { return of_deleted(exact_up_to); }
    [[nodiscard]] double lone() const noexcept {
        return exact_up_to == 0 ? 0 : (1 - deleted_share) * load * of_deleted(exact_up_to - 1);
    }
    [[nodiscard]] double free() const noexcept { return exact_up_to == 0 ? 0 : poisson_at_most(load, exact_up_to - 1); }
    [[nodiscard]] double stuck() const noexcept { return 1 - poisson_at_most(load, exact_up_to); }

private:
    /// e^-L times the sum over dL.
    [[nodiscard]] double of_deleted(std::uint64_t last) const noexcept {
        const double deleted = deleted_share * load;
        if (load <= most_summed_load) return std::exp(-load) * exponential_sum(deleted, last);
        return std::exp(deleted - load) * poisson_at_most(deleted, last);
    }
};

/// Items thrown into `cells` cells, k positions each, as the load of Poisson cells: one that leaves the right share of them empty.
[[nodiscard]] inline double load_of(double items, double hashes, double cells) noexcept {
    return cells > 1 ? -items * hashes * std::log1p(-1 / cells) : items;
}

/// The cells that match an absent key: their expected share, and how it varies.
struct matching_cells {
    double share;          // `lone` times `maybe` included
    double noise;          // variance of the share between filters
    double slope = 0;      // of the share, by the logarithm of the items present
    double lone = 0;       // share of cells with one item, whose fingerprint decides
    double maybe = 1;      // chance that it matches
    double lone_items = 0; // items that have lone cells

    /// `items` are those present. Given the cells' Poisson numbers of items that stay and that left, the numbers in all cells together are
    /// fixed, which takes what correlates with them out of the variance.
    [[nodiscard]] static matching_cells of(const saturating_cells& cells, double maybe, double count,
                                           double items) noexcept {
        const double gone = cells.load * cells.deleted_share;
        const double here = cells.load - gone;
        const auto share_at = [&](double staying, double left) {
            const double load = staying + left;
            const saturating_cells other{load, load > 0 ? left / load : 0, cells.exact_up_to};
            return 1 - other.empty() - (maybe < 1 ? (1 - maybe) * other.lone() : 0);
        };
        const double share = share_at(here, gone);
        constexpr double step = 1e-4;
        const double by_here = (share_at(here * (1 + step), gone) - share_at(here * (1 - step), gone)) / (2 * step);
        const double by_gone =
            gone > 0 ? (share_at(here, gone * (1 + step)) - share_at(here, gone * (1 - step))) / (2 * step) : 0;
        // What fingerprints do is in `all_of`.
        double noise = share * (1 - share) - maybe * (1 - maybe) * cells.lone();
        if (here > 0) noise -= by_here * by_here / here;
        if (gone > 0) noise -= by_gone * by_gone / gone;
        return {share, std::fmax(0.0, noise) / count, by_here, cells.lone(), maybe, items};
    }

    /// If the number of items present varies, too, with this relative variance.
    [[nodiscard]] matching_cells with_varying_items(double variance) const noexcept {
        matching_cells made = *this;
        made.noise += slope * slope * variance;
        return made;
    }

    /// Chance that k cells match: E[X^k], to second order in the spread of X. All cells of an item have the same fingerprint, so they match
    /// an absent key together or not at all: exact for few items.
    [[nodiscard]] double all_of(double hashes) const noexcept {
        if (!(share > 0)) return 0;
        const double pairs = hashes * (hashes - 1) / 2;
        const double spread = pairs * noise / (share * share);
        const double fingerprints = maybe * (1 - maybe);
        double powers = std::pow(share, hashes);
        if (fingerprints > 0 && lone > 0 && lone_items >= 1) {
            constexpr double few = 1000;
            const double items = std::round(lone_items);
            if (items > few) {
                powers *= 1 + pairs * fingerprints * lone * lone / (lone_items * share * share);
            } else {
                const double always = share - maybe * lone;
                double chance = std::exp(items * std::log1p(-maybe)); // that no item has the fingerprint
                powers = 0;
                for (double matching = 0; matching <= items; ++matching) {
                    powers += chance * std::pow(always + lone * matching / items, hashes);
                    chance *= (items - matching) / (matching + 1) * maybe / (1 - maybe);
                }
            }
        }
        return std::fmin(1.0, powers * (1 + spread));
    }
};

/// (1 - share)^k and its complement, exact for small shares.
[[nodiscard]] inline double at_least_one(double share, double hashes) noexcept {
    return share >= 1 ? 1 : -std::expm1(hashes * std::log1p(-share));
}

} // namespace everbloom
