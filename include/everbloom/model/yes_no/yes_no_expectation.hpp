// Expected performance of a yes-no filter: the formulas of [Carrea16 §IV], corrected. Derivation: docs/models/yes_no.md.
//
//              f_S    a key that is no member passes the yes-filter
//              f_R    a key passes and is stored in no no-filter, but some no-filter covers it all the same: vetoed
//              Pr[S]  share of the members among the keys that are asked for, Pr[R] that of the stored false positives
//
// All positions are independent and may repeat, as in the filter.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>
#include <everbloom/model/occupancy.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace everbloom {

/// Entry d: the chance that `throws` throws into `places` places hit exactly d different ones.
[[nodiscard]] inline std::vector<double> distinct_places(std::uint64_t throws, std::uint64_t places) {
    std::vector<double> chance(static_cast<std::size_t>(std::min(throws, places)) + 1, 0.0);
    chance[0] = 1;
    const auto all = static_cast<double>(places);
    for (std::uint64_t thrown = 0; thrown < throws; ++thrown) {
        for (std::size_t d = chance.size() - 1; d > 0; --d) {
            const auto hit = static_cast<double>(d);
            chance[d] = chance[d] * (hit / all) + chance[d - 1] * ((all - hit + 1) / all);
        }
        chance[0] = 0;
    }
    return chance;
}

struct yes_no_expectation {
    /// f_S
    [[nodiscard]] static double yes_rate(const yes_no_spec& spec, std::uint64_t members) noexcept {
        return all_occupied(static_cast<double>(spec.yes_bits), static_cast<double>(spec.yes_hashes),
                            static_cast<double>(members));
    }

    /// The chance that a random key lies in `ones` given bits of a no-filter, with all its k' positions.
    [[nodiscard]] static double covered_share(const yes_no_spec& spec, double ones) noexcept {
        return std::pow(ones / static_cast<double>(spec.no_bits), static_cast<double>(spec.no_hashes));
    }

    /// f_R of no-filters with the given numbers of set bits, taken as independent.
    [[nodiscard]] static double veto_share(const yes_no_spec& spec, std::span<const double> ones) noexcept {
        double passes = 1;
        for (const double each : ones) passes *= 1 - covered_share(spec, each);
        return 1 - passes;
    }

    /// The chance that a key is a false positive of the filter, for a key that may be a member, a stored one or any other:
    /// Eq. 24 without its term Pr[S] f_R. No member is ever vetoed, so none can be subtracted.
    [[nodiscard]] static double false_positive_share(double member_share, double yes_rate, double veto_share,
                                                     double stored_share) noexcept {
        return (1 - veto_share) * ((1 - member_share) * yes_rate - stored_share);
    }

    /// The chance that a false positive of d different positions covers a member all by itself.
    [[nodiscard]] static double hopeless_share(const yes_no_spec& spec, std::uint64_t members, double d) noexcept {
        if (members == 0) return 0;
        return -std::expm1(static_cast<double>(members) * std::log1p(-std::min(covered_share(spec, d), 1.0)));
    }

    /// The chance that a false positive is hopeless: no no-filter, however empty, can take it without losing a member. With the
    /// same hash functions no assignment leaves fewer than these.
    [[nodiscard]] static double hopeless_share(const yes_no_spec& spec, std::uint64_t members) {
        double sum = 0;
        const std::vector<double> distinct = distinct_places(spec.no_hashes, spec.no_bits);
        for (std::size_t d = 1; d < distinct.size(); ++d) {
            sum += distinct[d] * hopeless_share(spec, members, static_cast<double>(d));
        }
        return sum;
    }

    /// A lower bound on the known negatives that remain false positives under the best assignment.
    [[nodiscard]] static double hopeless_negatives(const yes_no_spec& spec, std::uint64_t members,
                                                   std::uint64_t negatives) {
        return static_cast<double>(negatives) * yes_rate(spec, members) * hopeless_share(spec, members);
    }
};

} // namespace everbloom
