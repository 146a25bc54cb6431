// One no-filter of [Carrea16 §III.B.2] as a Markov chain: false positives arrive and are stored if no member is covered afterwards.
//
// A state is two numbers: b ones, and c critical zeros. A zero is critical if setting it would cover a member: one that lacks no
// other position. A false positive brings e new ones, anywhere among the z = q - b zeros. It is refused
//
//    if it hits a critical zero:           it does not with chance  C(z - c, e) / C(z, e);
//    if it covers a member that lacks two or more places: rare, each of those with chance (e/z)^u for its u positions outside.
//
// Once inside, it makes some members critical that were not: that is where c grows. Refusals leave the state as it is, so a no-filter
// that is full of critical zeros stays so. That memory is the difference to taking members afresh at every step, which leaves far
// too few false positives outside (docs/models/yes_no.md). How many are refused is part of the state as well: they are what the next
// no-filter is offered, and they come in droves, once this one is full.
//
// Approximate: members that are not critical are taken as random given b.
#pragma once

#include <everbloom/model/yes_no/yes_no_expectation.hpp>

#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace everbloom {

class no_filter_chain {
public:
    no_filter_chain(const yes_no_spec& spec, std::uint64_t members)
        : spec_(spec), members_(static_cast<double>(members)), hashes_(static_cast<std::size_t>(spec.no_hashes)),
          bits_(static_cast<std::size_t>(spec.no_bits)),
          width_(static_cast<std::size_t>(std::min(members, spec.no_bits)) + 1), steps_((bits_ + 1) * width_) {
        // Hopeless false positives are counted elsewhere: here each covers no member by itself.
        distinct_ = distinct_places(spec.no_hashes, spec.no_bits);
        double all = 0;
        for (std::size_t d = 1; d < distinct_.size(); ++d) {
            distinct_[d] *= 1 - yes_no_expectation::hopeless_share(spec, members, static_cast<double>(d));
            all += distinct_[d];
        }
        for (double& share : distinct_) share = all > 0 ? share / all : 0;
    }

    /// How dangerous a false positive is: how much of the members it covers by itself. Five classes, at the nodes of Gauss and Hermite for a
    /// normal variable; entry i is the share of class i.
    static constexpr std::size_t classes = 5;
    using danger = std::array<double, classes>;
    static constexpr danger nodes{-2.8569700138728056, -1.3556261799742659, 0, 1.3556261799742659, 2.8569700138728056};
    static constexpr danger usual{0.011257411327720689, 0.22207592200561264, 0.53333333333333333, 0.22207592200561264,
                                  0.011257411327720689};

    /// What becomes of n false positives that are offered to one no-filter, for each n. Entry r of a row: r of them are refused.
    struct offers {
        std::vector<std::vector<double>> refused; // the chance of that
        std::vector<std::vector<double>> passes;  // the chance of that, and that an absent key is not covered then
        std::vector<double> ones;                 // on average
        std::vector<danger> refused_classes;      // of the first that is refused, the second, ...
    };
    /// Entry n of `come` is the chance that n are offered; entry n of `offered` are the classes of the one after n others.
    [[nodiscard]] offers offer(const std::vector<double>& come, const std::vector<danger>& offered) {
        offers made;
        made.refused_classes.assign(come.size(), danger{});
        // Entry m: the chances of the states after m of the false positives were let in.
        std::vector<distribution> now(1, distribution(steps_.size(), 0.0));
        now[0][0] = 1;
        double more = 1; // the chance that n are offered, or more
        for (std::size_t n = 0;; ++n) {
            add_row(made, now);
            more -= come[n];
            if (n + 1 == come.size()) break;
            now.emplace_back(steps_.size(), 0.0);
            for (std::size_t m = n + 1; m-- > 0;) {
                for (std::size_t state = 0; state < now[m].size(); ++state) {
                    const double before = std::exchange(now[m][state], 0.0);
                    if (before <= negligible) continue;
                    const step& next = step_from(state);
                    double refused = 0;
                    for (std::size_t i = 0; i < classes; ++i) {
                        const double chance = offered[n][i] * next.refuses[i];
                        refused += chance;
                        made.refused_classes[n - m][i] += more * before * chance;
                    }
                    const double enters = next.refused < 1 ? before * (1 - refused) / (1 - next.refused) : 0;
                    for (const arrival& each : next.arrivals) now[m + 1][each.state] += enters * each.chance;
                    now[m][state] = before * refused;
                }
            }
        }
        for (danger& one : made.refused_classes) {
            const double all = std::accumulate(one.begin(), one.end(), 0.0);
            if (all <= 0)
                one = usual;
            else
                for (double& share : one) share /= all;
        }
        return made;
    }

private:
    static constexpr double negligible = 1e-10;

    /// Chances of the states, by number.
    using distribution = std::vector<double>;

    struct arrival {
        std::size_t state;
        double chance;
    };
    struct step {
        std::vector<arrival> arrivals;
        double refused = -1; // on average; not worked out yet
        danger refuses{};    // a false positive of each class
    };

    [[nodiscard]] static double choose(double from, double some) noexcept {
        return std::exp(std::lgamma(from + 1) - std::lgamma(some + 1) - std::lgamma(from - some + 1));
    }
    [[nodiscard]] static double power(double base, std::size_t exponent) noexcept {
        return std::pow(base, static_cast<double>(exponent));
    }

    void add_row(offers& made, const std::vector<distribution>& now) const {
        const std::size_t n = now.size() - 1;
        made.refused.emplace_back(n + 1, 0.0);
        made.passes.emplace_back(n + 1, 0.0);
        made.ones.push_back(0);
        for (std::size_t m = 0; m <= n; ++m) {
            for (std::size_t state = 0; state < now[m].size(); ++state) {
                if (now[m][state] == 0) continue;
                const std::size_t row = state / width_;
                const auto ones = static_cast<double>(row);
                made.refused[n][n - m] += now[m][state];
                made.passes[n][n - m] += now[m][state] * (1 - yes_no_expectation::covered_share(spec_, ones));
                made.ones[n] += now[m][state] * ones;
            }
        }
    }

    const step& step_from(std::size_t state) {
        if (steps_[state].refused < 0) steps_[state] = make_step(state / width_, state % width_);
        return steps_[state];
    }

    /// Critical members for `critical` critical zeros: several may share the same zero.
    [[nodiscard]] double critical_members(double zeros, double critical) const noexcept {
        if (critical == 0) return 0;
        if (critical >= zeros) return members_;
        return std::min(members_, std::log1p(-critical / zeros) / std::log1p(-1 / zeros));
    }

    /// Entry u: the chance that a member that is neither covered nor critical has u of its positions outside the ones.
    [[nodiscard]] std::vector<double> positions_outside(double ones, double zeros) const {
        const auto all = static_cast<double>(bits_);
        std::vector<double> chance(hashes_ + 1, 0.0);
        double sum = 0;
        for (std::size_t u = 2; u <= hashes_; ++u) {
            const double outside = choose(static_cast<double>(hashes_), static_cast<double>(u)) *
                                   power(zeros / all, u) * power(ones / all, hashes_ - u);
            chance[u] = outside * (1 - power(1 / zeros, u - 1)); // all on the same zero: critical
            sum += chance[u];
        }
        for (double& each : chance) each = sum > 0 ? each / sum : 0;
        return chance;
    }

    /// Entry e: the chance that a false positive brings e new ones and is let in.
    [[nodiscard]] std::vector<double> let_in(std::size_t b, std::size_t c, const std::vector<double>& outside,
                                             double others) const {
        const auto ones = static_cast<double>(b);
        const auto zeros = static_cast<double>(bits_) - ones;
        std::vector<double> chance(hashes_ + 1, 0.0);
        for (std::size_t d = 1; d < distinct_.size(); ++d) {
            for (std::size_t o = b + d > bits_ ? b + d - bits_ : 0; o <= std::min(b, d); ++o) {
                const std::size_t e = d - o;
                if (e + b + c > bits_) continue;
                const auto fresh = static_cast<double>(e);
                const double meets = choose(ones, static_cast<double>(o)) * choose(zeros, fresh) /
                                     choose(static_cast<double>(bits_), static_cast<double>(d));
                const double misses = choose(zeros - static_cast<double>(c), fresh) / choose(zeros, fresh);
                double covered = 0; // one that is not critical, and not by the false positive alone
                for (std::size_t u = 2; u < hashes_ && e > 0 && b > 0; ++u) {
                    covered += outside[u] * all_among(fresh, zeros, u) *
                               (1 - power(static_cast<double>(o) / ones, hashes_ - u));
                }
                chance[e] += distinct_[d] * meets * misses * std::pow(1 - covered, others);
            }
        }
        return chance;
    }

    /// The chance that u positions are all among e of z zeros, if they are not all the same one.
    [[nodiscard]] static double all_among(double fresh, double zeros, std::size_t u) noexcept {
        const double same = power(1 / zeros, u - 1);
        return (power(fresh / zeros, u) - fresh / zeros * same) / (1 - same);
    }

    /// The chance that a member becomes critical when e of z zeros become ones: all its positions outside that are not among them
    /// lie on one zero.
    [[nodiscard]] double becomes_critical(const std::vector<double>& outside, double fresh, double zeros) const {
        double becomes = 0;
        double uncovered = 0;
        for (std::size_t u = 2; u <= hashes_; ++u) {
            uncovered += outside[u] * (1 - all_among(fresh, zeros, u));
            for (std::size_t j = 1; j < u; ++j) {
                becomes += outside[u] * choose(static_cast<double>(u), static_cast<double>(j)) *
                           power(fresh / zeros, j) * power(1 - fresh / zeros, u - j) *
                           power(1 / (zeros - fresh), u - j - 1) / (1 - power(1 / zeros, u - 1));
            }
        }
        return uncovered > 0 ? std::min(1.0, becomes / uncovered) : 0;
    }

    [[nodiscard]] step make_step(std::size_t b, std::size_t c) const {
        const auto ones = static_cast<double>(b);
        const double zeros = static_cast<double>(bits_) - ones;
        step made{{}, 1, {}};
        made.refuses.fill(1);
        if (b == bits_) return made;
        const double others = std::round(members_ - critical_members(zeros, static_cast<double>(c)));
        const std::vector<double> outside = positions_outside(ones, zeros);
        const std::vector<double> chance = let_in(b, c, outside, others);
        for (std::size_t e = 0; e < chance.size(); ++e) {
            if (chance[e] <= negligible) continue;
            made.refused -= chance[e];
            if (e == 0 || b + e == bits_) { // nothing is left to become critical
                made.arrivals.push_back({(b + e) * width_ + (e == 0 ? c : 0), chance[e]});
                continue;
            }
            const auto fresh = static_cast<double>(e);
            add_growth(made, b + e, c, chance[e], others, becomes_critical(outside, fresh, zeros));
        }
        made.refused = std::clamp(made.refused, 0.0, 1.0);
        made.refuses = refused_by_class(made.refused, ones / static_cast<double>(bits_));
        return made;
    }

    /// The chances of the classes whose mean over the usual false positives is `refused`. How much of the members a false positive covers,
    /// sum over the members of filled^(positions outside), has a mean and a variance over the false positives; it is taken as log-normal.
    [[nodiscard]] danger refused_by_class(double refused, double filled) const {
        danger made;
        made.fill(refused);
        if (refused <= 0 || refused >= 1 || filled <= 0 || members_ == 0) return made;
        double mean = 0;
        double square = 0;
        double within = 0;
        for (std::size_t d = 1; d < distinct_.size(); ++d) {
            const double own = static_cast<double>(d) / static_cast<double>(bits_);
            const double one = power(own + (1 - own) * filled, hashes_);
            mean += distinct_[d] * one;
            square += distinct_[d] * one * one;
            within += distinct_[d] * (power(own + (1 - own) * filled * filled, hashes_) - one * one);
        }
        const double excess = mean - power(filled, hashes_);
        if (excess <= 0) return made;
        const double width = std::sqrt(std::log1p((within / members_ + square - mean * mean) / (excess * excess)));
        const auto by_class = [&](double load) {
            for (std::size_t i = 0; i < classes; ++i) made[i] = -std::expm1(-load * std::exp(width * nodes[i]));
            double all = 0;
            for (std::size_t i = 0; i < classes; ++i) all += usual[i] * made[i];
            return all;
        };
        double low = 0;
        double high = 1;
        while (by_class(high) < refused && high < 1e9) high *= 2;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (by_class(middle) < refused ? low : high) = middle;
        }
        by_class(high);
        return made;
    }

    /// How many more zeros become critical: each of the other members makes one so with chance `becomes`, but several may share it, or it
    /// was critical already.
    void add_growth(step& made, std::size_t b, std::size_t c, double chance, double others, double becomes) const {
        const std::size_t most = std::min(width_ - 1, bits_ - b);
        std::vector<double> growth(most - c + 1, 0.0); // entry i: the chance of i more
        growth[0] = 1;
        const auto zeros = static_cast<double>(bits_ - b);
        std::size_t last = 0;
        for (double member = 0; member < others; ++member) {
            for (std::size_t more = last + 1; more-- > 0;) {
                const double grows =
                    c + more < most ? growth[more] * becomes * (1 - static_cast<double>(c + more) / zeros) : 0;
                growth[more] -= grows;
                if (grows > 0) growth[more + 1] += grows;
            }
            if (last + c < most && growth[last + 1] > negligible) ++last;
        }
        for (std::size_t more = 0; more < growth.size(); ++more) {
            if (growth[more] > negligible) made.arrivals.push_back({b * width_ + c + more, chance * growth[more]});
        }
    }

    yes_no_spec spec_;
    double members_;
    std::size_t hashes_;
    std::size_t bits_;
    std::size_t width_; // states with the same ones
    std::vector<double> distinct_;
    std::vector<step> steps_;
};

} // namespace everbloom
