// What the first-fit assignment of [Carrea16 §III.B.2] leaves, and how full its no-filters are: a sequence of Markov chains.
//
// The first no-filter is offered every false positive of the yes-filter, the next one those that the first refused, and so on. What
// the last one refuses stays a false positive permanently: a no-filter that covered it later would also cover the member for which it
// was refused. A no-filter depends on the one before it by the number of those that it refused, and on nothing else here.
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
        outcome found;
        for (std::size_t i = 0; i < counts.size(); ++i) found.before += static_cast<double>(i) * counts[i];
        found.hopeless = found.before * hopeless;
        if (spec.no_filters == 0) {
            found.after = found.before;
            return found;
        }
        // How many come to a no-filter, and the same with the chance that no no-filter so far covers an absent key.
        std::vector<double> come = thinned(counts, 1 - hopeless);
        std::vector<double> uncovered = come;
        no_filter_chain chain(spec, members);
        std::vector<no_filter_chain::danger> classes(come.size(), no_filter_chain::usual);
        for (std::uint64_t j = 0; j < spec.no_filters; ++j) {
            auto offers = chain.offer(come, classes);
            classes = std::move(offers.refused_classes);
            double ones = 0;
            for (std::size_t n = 0; n < come.size(); ++n) ones += come[n] * offers.ones[n];
            found.ones.push_back(ones);
            come = after(come, offers.refused);
            uncovered = after(uncovered, offers.passes);
        }
        found.after = found.hopeless;
        double passes = 0;
        for (std::size_t n = 0; n < come.size(); ++n) {
            found.after += static_cast<double>(n) * come[n];
            passes += uncovered[n];
        }
        found.veto_share = 1 - passes;
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

    /// Each counts with the chance `share` only. Ends where hardly any filter has that number.
    [[nodiscard]] static std::vector<double> thinned(const std::vector<double>& counts, double share) {
        std::vector<double> made(counts.size(), 0.0);
        for (std::size_t all = 0; all < counts.size(); ++all) {
            if (counts[all] < negligible) continue;
            double chance = std::pow(1 - share, static_cast<double>(all)); // that none counts
            if (share >= 1 || chance == 0) {
                made[all] += counts[all];
                continue;
            }
            for (std::size_t some = 0; some <= all; ++some) {
                made[some] += counts[all] * chance;
                chance *= static_cast<double>(all - some) / static_cast<double>(some + 1) * share / (1 - share);
            }
        }
        double cut_off = 0;
        while (made.size() > 1 && (cut_off += made.back()) < 1e-8) made.pop_back();
        return made;
    }

    /// From the number of those that come to a no-filter to the number of those that go on, by the rows of a table.
    [[nodiscard]] static std::vector<double> after(const std::vector<double>& come,
                                                   const std::vector<std::vector<double>>& rows) {
        std::vector<double> made(come.size(), 0.0);
        for (std::size_t n = 0; n < come.size(); ++n) {
            for (std::size_t r = 0; r <= n; ++r) made[r] += come[n] * rows[n][r];
        }
        return made;
    }
};

} // namespace everbloom
