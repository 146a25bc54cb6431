// What the first-fit assignment of [Carrea16 §III.B.2] leaves, and how full its no-filters are: a sequence of Markov chains.
//
// The first no-filter is offered every false positive of the yes-filter, the next one those that the first refused, and so on. What
// the last one refuses stays a false positive permanently: a no-filter that covered it later would also cover the member for which it
// was refused. No-filters are taken as independent of each other.
#pragma once

#include <everbloom/model/yes_no/no_filter_chain.hpp>

namespace everbloom {

class yes_no_first_fit {
public:
    struct outcome {
        double before = 0;             // false positives of the yes-filter among the negatives
        double after = 0;              // those that found no place
        double hopeless = 0;           // of these: those that no assignment can place
        double veto_share = 0;         // f_R: the chance that an absent key is covered by a no-filter
        std::vector<double> ones = {}; // of each no-filter
    };

    /// Takes milliseconds for a header of a packet, and is not meant for millions of keys.
    [[nodiscard]] static outcome expect(const yes_no_spec& spec, std::uint64_t members, std::uint64_t negatives) {
        const std::vector<double> counts = false_positive_counts(spec, members, negatives);
        const double hopeless = yes_no_expectation::hopeless_share(spec, members);
        no_filter_chain chain(spec, members);
        std::vector<no_filter_chain::distribution> filters(static_cast<std::size_t>(spec.no_filters), chain.empty());
        outcome found;
        found.ones.assign(filters.size(), 0.0);
        double at_least = 1 - counts[0]; // the chance that there is one more
        for (std::size_t i = 1; i < counts.size() && at_least > negligible; ++i) {
            double comes = 1 - hopeless;
            for (auto& each : filters) {
                auto offered = chain.offer(each, comes);
                each = std::move(offered.after);
                comes *= offered.refused;
            }
            found.before += at_least;
            found.after += at_least * (hopeless + comes);
            add_state(found, spec, chain, filters, counts[i]);
            at_least -= counts[i];
        }
        found.hopeless = found.before * hopeless;
        return found;
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
                const double ways = std::lgamma(all + 1) - std::lgamma(hits + 1) - std::lgamma(all - hits + 1);
                chance[i] += ones[x] * std::exp(ways + hits * std::log(rate) + (all - hits) * std::log1p(-rate));
            }
        }
        return chance;
    }

private:
    static constexpr double negligible = 1e-14;

    /// Adds the state of the no-filters after this number of false positives, weighted with the chance that there are no more.
    static void add_state(outcome& found, const yes_no_spec& spec, const no_filter_chain& chain,
                          const std::vector<no_filter_chain::distribution>& filters, double chance) {
        double passes = 1;
        for (std::size_t j = 0; j < filters.size(); ++j) {
            double covered = 0;
            for (std::size_t state = 0; state < filters[j].size(); ++state) {
                if (filters[j][state] == 0) continue;
                found.ones[j] += chance * filters[j][state] * chain.ones(state);
                covered += filters[j][state] * yes_no_expectation::covered_share(spec, chain.ones(state));
            }
            passes *= 1 - covered;
        }
        found.veto_share += chance * (1 - passes);
    }
};

} // namespace everbloom
