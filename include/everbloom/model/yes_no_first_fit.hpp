// The first-fit assignment of [Carrea16 §III.B.2] as a chain of chances: how full each no-filter gets, and what stays outside.
//
// A no-filter is known by the number b of its ones. A false positive with d different positions, o of which are set already, would
// leave b' = b + d - o ones. It may come in if no member is covered then, given that none was covered by the ones before and none by
// the false positive alone; for n members with k' positions each that is
//
//              ( 1 - (b'/q)^k' ) / ( 1 - (b/q)^k' - (d/q)^k' + (o/q)^k' )     to the power of n.
//
// The first no-filter sees every false positive, the next one those that the first refused, and so on. What the last one refuses
// stays a false positive for ever: a no-filter that covered it later would cover the member on whose account it was refused.
//
// Approximate in one respect: members are taken afresh at every step, though a no-filter that has just refused is likelier to refuse
// again. What stays is therefore underestimated, by up to a quarter (docs/models/yes_no.md).
#pragma once

#include <everbloom/model/yes_no_expectation.hpp>

namespace everbloom {

class yes_no_first_fit {
public:
    struct outcome {
        double before = 0;        // false positives of the yes-filter among the negatives
        double after = 0;         // those that found no place
        double hopeless = 0;      // of these: those that no assignment can place
        double veto_share = 0;    // f_R: the chance that a stranger is covered by a no-filter
        std::vector<double> ones; // of each no-filter
    };

    /// Takes about (p k n + negatives r q k'^2) steps: made for headers of packets, not for millions of keys.
    [[nodiscard]] static outcome expect(const yes_no_spec& spec, std::uint64_t members, std::uint64_t negatives) {
        const yes_no_first_fit model(spec, members);
        return model.run(false_positive_counts(spec, members, negatives));
    }

    /// Entry i: the chance that i of the negatives pass the yes-filter. All of them meet the same ones, so it is no binomial.
    [[nodiscard]] static std::vector<double> false_positive_counts(const yes_no_spec& spec, std::uint64_t members,
                                                                   std::uint64_t negatives) {
        const std::vector<double> ones = distinct_places(spec.yes_hashes * members, spec.yes_bits);
        const auto all = static_cast<double>(negatives);
        std::vector<double> chance(static_cast<std::size_t>(negatives) + 1, 0.0);
        for (std::size_t x = 0; x < ones.size(); ++x) {
            if (ones[x] < negligible) continue;
            const double rate = std::pow(static_cast<double>(x) / static_cast<double>(spec.yes_bits),
                                         static_cast<double>(spec.yes_hashes));
            if (rate <= 0 || rate >= 1) {
                chance[rate <= 0 ? 0 : chance.size() - 1] += ones[x];
                continue;
            }
            for (std::size_t i = 0; i < chance.size(); ++i) {
                const auto hits = static_cast<double>(i);
                chance[i] += ones[x] *
                             std::exp(log_choose(all, hits) + hits * std::log(rate) + (all - hits) * std::log1p(-rate));
            }
        }
        return chance;
    }

private:
    static constexpr double negligible = 1e-14;

    /// What a false positive does to a no-filter with b ones: so many ones afterwards, with this chance.
    struct arrival {
        std::size_t ones;
        double chance;
    };
    /// False positives with the same number of different positions.
    struct family {
        double share;                               // of all false positives, hopeless ones excepted
        std::vector<std::vector<arrival>> taken_in; // by b
        std::vector<double> refused;                // by b
    };

    yes_no_first_fit(const yes_no_spec& spec, std::uint64_t members) : spec_(spec), members_(members) {
        const std::vector<double> distinct = distinct_places(spec.no_hashes, spec.no_bits);
        for (std::size_t d = 1; d < distinct.size(); ++d) {
            const double hopeless = yes_no_expectation::hopeless_share(spec, members, static_cast<double>(d));
            hopeless_ += distinct[d] * hopeless;
            if (distinct[d] > negligible) families_.push_back(family_of(d, distinct[d] * (1 - hopeless)));
        }
    }

    [[nodiscard]] static double log_choose(double from, double some) noexcept {
        return std::lgamma(from + 1) - std::lgamma(some + 1) - std::lgamma(from - some + 1);
    }

    [[nodiscard]] double admitted(double before, double alone, double overlap, double after) const noexcept {
        const auto covered = [this](double ones) { return yes_no_expectation::covered_share(spec_, ones); };
        const double unharmed = 1 - covered(before) - covered(alone) + covered(overlap);
        if (unharmed <= 0) return 0;
        return std::pow((1 - covered(after)) / unharmed, static_cast<double>(members_));
    }

    [[nodiscard]] family family_of(std::size_t d, double share) const {
        const auto bits = static_cast<std::size_t>(spec_.no_bits);
        const auto all = static_cast<double>(bits);
        const auto own = static_cast<double>(d);
        family made{share, std::vector<std::vector<arrival>>(bits + 1), std::vector<double>(bits + 1, 1.0)};
        for (std::size_t b = 0; b <= bits; ++b) {
            const auto set = static_cast<double>(b);
            for (std::size_t o = b + d > bits ? b + d - bits : 0; o <= std::min(b, d); ++o) {
                const auto overlap = static_cast<double>(o);
                const double meets =
                    std::exp(log_choose(set, overlap) + log_choose(all - set, own - overlap) - log_choose(all, own));
                const double chance = meets * (o == d ? 1 : admitted(set, own, overlap, set + own - overlap));
                made.taken_in[b].push_back({b + d - o, chance});
                made.refused[b] -= chance;
            }
            made.refused[b] = std::max(made.refused[b], 0.0);
        }
        return made;
    }

    /// One false positive, as far as it gets: `reaching` are the shares of the families that have come as far as this no-filter,
    /// and become those that go on to the next one.
    void offer(std::vector<double>& ones, std::vector<double>& reaching) const {
        std::vector<double> next(ones.size(), 0.0);
        std::vector<double> refused(reaching.size(), 0.0);
        for (std::size_t b = 0; b < ones.size(); ++b) {
            if (ones[b] < negligible) continue;
            double stays = 1;
            for (std::size_t i = 0; i < families_.size(); ++i) {
                for (const arrival& each : families_[i].taken_in[b]) {
                    next[each.ones] += ones[b] * reaching[i] * each.chance;
                    stays -= reaching[i] * each.chance;
                }
                refused[i] += ones[b] * families_[i].refused[b];
            }
            next[b] += ones[b] * stays;
        }
        for (std::size_t i = 0; i < reaching.size(); ++i) reaching[i] *= refused[i];
        ones = std::move(next);
    }

    [[nodiscard]] outcome run(const std::vector<double>& counts) const {
        outcome found;
        const auto filters = static_cast<std::size_t>(spec_.no_filters);
        found.ones.assign(filters, 0.0);
        std::vector<std::vector<double>> state(filters, std::vector<double>(spec_.no_bits + 1, 0.0));
        for (auto& each : state) each[0] = 1;
        double at_least = 1 - counts[0];
        for (std::size_t i = 1; i < counts.size() && at_least > negligible; ++i) {
            std::vector<double> reaching;
            for (const family& each : families_) reaching.push_back(each.share);
            for (auto& each : state) offer(each, reaching);
            double outside = hopeless_;
            for (const double share : reaching) outside += share;
            found.before += at_least;
            found.after += at_least * outside;
            add_state(found, state, counts[i]);
            at_least -= counts[i];
        }
        found.hopeless = found.before * hopeless_;
        return found;
    }

    /// Adds what the no-filters look like after so many false positives, with the chance that there are no more.
    void add_state(outcome& found, const std::vector<std::vector<double>>& state, double chance) const {
        double passes = 1;
        for (std::size_t j = 0; j < state.size(); ++j) {
            double covered = 0;
            for (std::size_t b = 0; b < state[j].size(); ++b) {
                const auto ones = static_cast<double>(b);
                found.ones[j] += chance * state[j][b] * ones;
                covered += state[j][b] * yes_no_expectation::covered_share(spec_, ones);
            }
            passes *= 1 - covered;
        }
        found.veto_share += chance * (1 - passes);
    }

    yes_no_spec spec_;
    std::uint64_t members_;
    double hopeless_ = 0;
    std::vector<family> families_;
};

} // namespace everbloom
