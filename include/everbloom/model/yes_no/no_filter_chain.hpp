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
// too few false positives outside (docs/models/yes_no.md).
//
// Approximate: members that are not critical are taken as random given b.
#pragma once

#include <everbloom/model/yes_no/yes_no_expectation.hpp>

#include <cstddef>

namespace everbloom {

class no_filter_chain {
public:
    /// Chances of the states, by number.
    using distribution = std::vector<double>;

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

    [[nodiscard]] distribution empty() const {
        distribution made(steps_.size(), 0.0);
        made[0] = 1;
        return made;
    }
    [[nodiscard]] double ones(std::size_t state) const noexcept {
        const std::size_t row = state / width_;
        return static_cast<double>(row);
    }

    struct offered {
        distribution after;
        double refused; // the chance, if one comes
    };
    /// A false positive comes with chance `comes`.
    [[nodiscard]] offered offer(const distribution& before, double comes) {
        offered made{distribution(before.size(), 0.0), 0};
        for (std::size_t state = 0; state < before.size(); ++state) {
            if (before[state] <= negligible) continue;
            const step& next = step_from(state);
            for (const arrival& each : next.arrivals) made.after[each.state] += before[state] * comes * each.chance;
            made.after[state] += before[state] * (1 - comes * (1 - next.refused));
            made.refused += before[state] * next.refused;
        }
        return made;
    }

private:
    static constexpr double negligible = 1e-12;

    struct arrival {
        std::size_t state;
        double chance;
    };
    struct step {
        std::vector<arrival> arrivals;
        double refused = -1; // not worked out yet
    };

    [[nodiscard]] static double choose(double from, double some) noexcept {
        return std::exp(std::lgamma(from + 1) - std::lgamma(some + 1) - std::lgamma(from - some + 1));
    }
    [[nodiscard]] static double power(double base, std::size_t exponent) noexcept {
        return std::pow(base, static_cast<double>(exponent));
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
        const double zeros = static_cast<double>(bits_) - ones;
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
                    covered +=
                        outside[u] * power(fresh / zeros, u) * (1 - power(static_cast<double>(o) / ones, hashes_ - u));
                }
                chance[e] += distinct_[d] * meets * misses * std::pow(1 - covered, others);
            }
        }
        return chance;
    }

    /// The chance that a member becomes critical when e of z zeros become ones: all its positions outside that are not among them
    /// lie on one zero.
    [[nodiscard]] double becomes_critical(const std::vector<double>& outside, double fresh, double zeros) const {
        double becomes = 0;
        double uncovered = 0;
        for (std::size_t u = 2; u <= hashes_; ++u) {
            for (std::size_t j = 0; j < u; ++j) {
                const double chance = outside[u] * choose(static_cast<double>(u), static_cast<double>(j)) *
                                      power(fresh / zeros, j) * power(1 - fresh / zeros, u - j);
                uncovered += chance;
                if (j > 0) becomes += chance * power(1 / (zeros - fresh), u - j - 1);
            }
        }
        return uncovered > 0 ? std::min(1.0, becomes / uncovered) : 0;
    }

    [[nodiscard]] step make_step(std::size_t b, std::size_t c) const {
        const auto ones = static_cast<double>(b);
        const double zeros = static_cast<double>(bits_) - ones;
        const auto critical = static_cast<double>(c);
        step made{{}, 1};
        if (b == bits_) return made;
        const double others = std::round(members_ - critical_members(zeros, critical));
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
            // A zero that is critical already is none the more so.
            const double grows = becomes_critical(outside, fresh, zeros) * (1 - critical / (zeros - fresh));
            add_growth(made, b + e, c, chance[e], others, std::clamp(grows, 0.0, 1.0));
        }
        made.refused = std::clamp(made.refused, 0.0, 1.0);
        return made;
    }

    /// How many of the others become critical: binomial.
    void add_growth(step& made, std::size_t b, std::size_t c, double chance, double others, double grows) const {
        const std::size_t most = std::min(width_ - 1, bits_ - b);
        double each = std::pow(1 - grows, others);
        double left = 1;
        for (std::size_t more = 0; c + more < most && left > negligible; ++more) {
            made.arrivals.push_back({b * width_ + c + more, chance * each});
            left -= each;
            const auto next = static_cast<double>(more);
            each = grows < 1 ? each * (others - next) / (next + 1) * grows / (1 - grows) : 0;
        }
        if (left > 0) made.arrivals.push_back({b * width_ + most, chance * left});
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
