// How full the no-filters of a yes-no filter become, and what they then veto. Derivation: docs/models/yes_no.md.
//
// False positives come one after the other and go to the first no-filter that can take them. A zero of a no-filter is critical if it is
// the only one that a member still lacks: to set it would cover the member, so it stays a zero for good, and a no-filter fills up to its
// critical zeros and no further. Followed as means, for each no-filter: the shares of ones and of critical zeros, and the number of
// members that lack two places, three, and so on. The number of false positives is Poisson.
//
// Quick at any size, within a few per cent also where the no-filters are full. yes_no_first_fit.hpp follows distributions instead of
// means, and is more exact about the few that are left, at the price of milliseconds for a header of a packet.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>
#include <everbloom/model/poisson.hpp>
#include <everbloom/model/yes_no/yes_no_expectation.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace everbloom {

/// One no-filter, in the mean.
class no_filter_filling {
public:
    no_filter_filling(const yes_no_spec& spec, double members, const std::vector<double>& distinct)
        : bits_(static_cast<double>(spec.no_bits)), hashes_(static_cast<double>(spec.no_hashes)), lacking_(distinct) {
        for (double& each : lacking_) each *= members;
        if (lacking_.size() > 1) critical_ = std::fmin(1.0, std::exchange(lacking_[1], 0.0) / bits_);
    }

    /// The chance that an absent key is covered.
    [[nodiscard]] double covered() const noexcept { return std::pow(ones_, hashes_); }

    /// Offers a false positive that comes with chance `comes`; returns the chance that it is taken.
    double offer(double comes) {
        const double places = bits_ * (1 - critical_); // that it may set
        if (places < 1) return 0;
        const double hit =
            -std::expm1(hashes_ * std::log1p(-1 / places)); // one given place, if it misses the critical ones
        const double taken = comes * std::pow(1 - critical_, hashes_) * std::exp(-covered_members(hit));
        const double zeros = 1 - ones_ - critical_;
        const double new_ones = taken * hit * zeros;
        const double new_critical = std::fmin(lose_places(taken, hit) / bits_, std::fmax(0.0, zeros - new_ones));
        // Members that have a critical zero can never be covered.
        const double safe = zeros > new_ones ? new_critical / (zeros - new_ones) : 0;
        double unsafe = 1 - safe;
        for (std::size_t lacks = 2; lacks < lacking_.size(); ++lacks) {
            unsafe *= 1 - safe;
            lacking_[lacks] *= unsafe;
        }
        ones_ += new_ones;
        critical_ += new_critical;
        return taken;
    }

private:
    /// Members that it would cover at once; k' throws hit m given places with chance hit^m k'!/(k' - m)! / k'^m, nearly.
    [[nodiscard]] double covered_members(double hit) const noexcept {
        double sum = 0;
        double all_hit = hit;
        for (std::size_t lacks = 2; lacks < lacking_.size(); ++lacks) {
            all_hit *= hit * (hashes_ - static_cast<double>(lacks) + 1) / hashes_;
            sum += lacking_[lacks] * all_hit;
        }
        return sum;
    }

    /// Each place that a member lacks becomes a one with chance `hit`, if the false positive is taken. Returns how many members then lack
    /// a single one.
    double lose_places(double taken, double hit) {
        constexpr double negligible = 1e-12;
        double single = 0;
        for (std::size_t lacks = 2; lacks < lacking_.size(); ++lacks) {
            const double moving = taken * lacking_[lacks];
            const auto all = static_cast<double>(lacks);
            // Not all of them: it would not have been taken.
            double chance = std::pow(1 - hit, all) / (1 - std::pow(hit, all));
            for (std::size_t lost = 1; lost < lacks; ++lost) {
                const auto count = static_cast<double>(lost);
                chance *= hit < 1 ? (all - count + 1) / count * hit / (1 - hit) : 0;
                if (chance < negligible) break;
                lacking_[lacks] -= moving * chance;
                (lacks - lost == 1 ? single : lacking_[lacks - lost]) += moving * chance;
            }
        }
        return single;
    }

    double bits_;
    double hashes_;
    double ones_ = 0;             // share
    double critical_ = 0;         // share
    std::vector<double> lacking_; // entry m: members that lack m places, none of them critical
};

struct yes_no_filling {
    double vetoed_share = 0; // of the absent keys that pass the yes-filter
    double left = 0;         // false positives that first-fit finds no place for

    yes_no_filling(const yes_no_spec& spec, double members, double false_positives) {
        if (!(false_positives > 0)) return;
        if (spec.no_filters == 0) {
            left = false_positives;
            return;
        }
        std::vector<no_filter_filling> filters(
            static_cast<std::size_t>(spec.no_filters),
            no_filter_filling(spec, members, distinct_places(spec.no_hashes, spec.no_bits)));
        const double most = false_positives + poisson_reach(false_positives);
        double refused = 0; // of those that have come so far
        double weights = poisson_chance(false_positives, 0);
        for (double come = 1; come <= most; ++come) {
            double looking = 1;
            for (no_filter_filling& each : filters) looking -= each.offer(looking);
            refused += looking;
            const double weight = poisson_chance(false_positives, come);
            double passed = 1;
            for (const no_filter_filling& each : filters) passed *= 1 - each.covered();
            vetoed_share += weight * (1 - passed);
            left += weight * refused;
            weights += weight;
        }
        vetoed_share /= weights;
        left /= weights;
    }
};

} // namespace everbloom
