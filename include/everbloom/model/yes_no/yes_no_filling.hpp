// How full the no-filters of a yes-no filter become, and what they then veto. Derivation: docs/models/yes_no.md.
//
// False positives come one after the other and go to the first no-filter that can take them. A no-filter with j of them covers a given
// member with chance g(j), all k' positions occupied; if it covers none of n members now, it still covers none after one more
// with chance exp(-n (g(j + 1) - g(j))). The numbers in the no-filters are followed as means; the number of false positives is
// Poisson. Better assignments fill the no-filters nearly alike.
//
// Quick at any size, and good for what is vetoed. What is left is too little where the no-filters are nearly full, because no step
// remembers the last; yes_no_first_fit.hpp does, at the price of milliseconds for a header of a packet.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/poisson.hpp>

#include <cmath>
#include <vector>

namespace everbloom {

struct yes_no_filling {
    double vetoed_share = 0; // of the absent keys that pass the yes-filter
    double left = 0;         // false positives that first-fit finds no place for

    yes_no_filling(const yes_no_spec& spec, double members, double false_positives) {
        if (!(false_positives > 0)) return;
        if (spec.no_filters == 0) {
            left = false_positives;
            return;
        }
        std::vector<double> stored(static_cast<std::size_t>(spec.no_filters), 0.0);
        const double most = false_positives + poisson_reach(false_positives);
        double homeless = 0; // of those that have come so far
        double weights = poisson_chance(false_positives, 0);
        for (double come = 1; come <= most; ++come) {
            homeless += take_one(spec, members, stored);
            const double weight = poisson_chance(false_positives, come);
            vetoed_share += weight * vetoed(spec, stored);
            left += weight * homeless;
            weights += weight;
        }
        vetoed_share /= weights;
        left /= weights;
    }

private:
    [[nodiscard]] static double covered(const yes_no_spec& spec, double stored) noexcept {
        return all_occupied(static_cast<double>(spec.no_bits), static_cast<double>(spec.no_hashes), stored);
    }

    /// The share of one more false positive that finds no place.
    [[nodiscard]] static double take_one(const yes_no_spec& spec, double members,
                                         std::vector<double>& stored) noexcept {
        double looking = 1;
        for (double& here : stored) {
            const double risk = covered(spec, here + 1) - covered(spec, here);
            const double stays = looking * std::exp(-members * std::fmax(risk, 0.0));
            here += stays;
            looking -= stays;
        }
        return looking;
    }

    [[nodiscard]] static double vetoed(const yes_no_spec& spec, const std::vector<double>& stored) noexcept {
        double passed = 1;
        for (const double here : stored) passed *= 1 - covered(spec, here);
        return 1 - passed;
    }
};

} // namespace everbloom
