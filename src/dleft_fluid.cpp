#include <everbloom/model/dleft/dleft_fluid.hpp>
#include <everbloom/probe/permuted_places.hpp>

#include <boost/numeric/odeint.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace everbloom {
namespace {

using state = std::vector<double>;

/// Operations per unit of time and bucket. Each removal takes any of the keys present.
struct operation_rates {
    double insertions;
    double removals;
};

/// dy_ij/dt. A key that finds `highest` keys in each of its buckets is refused.
///
/// The last element of the state is the number of members per bucket. They are more than the fingerprints in the buckets where equal ones
/// share a cell: of `fingerprints` per bucket, a key that comes has one that is there already with chance present / fingerprints, and a
/// member is the only one of its fingerprint with chance e^-c, where c is the mean of the Poisson number of copies.
class change_of_shares {
public:
    change_of_shares(unsigned subtables, unsigned highest, operation_rates rates, double fingerprints = 0)
        : subtables_(subtables), highest_(highest), rates_(rates), fingerprints_(fingerprints) {}

    void operator()(const state& shares, state& change, double) const {
        std::array<double, max_subtables> below{}; // y of load i - 1
        std::array<double, max_subtables> right{}; // product of y over the subtables to the right
        below.fill(1);
        double present = 0;
        for (std::size_t i = 0; i + 1 < shares.size(); ++i) present += shares[i] / subtables_;
        const double members = std::fmax(shares.back(), present);
        const double is_new = fingerprints_ > 0 ? std::fmax(0.0, 1 - present / fingerprints_) : 1;
        const double leaving = present > 0 ? rates_.removals * alone(members / present) / present : 0;
        double refused = is_new;
        for (unsigned j = 0; j < subtables_; ++j) refused *= shares[index(highest_, j)];
        change[shares.size() - 1] = rates_.insertions * (1 - refused) - rates_.removals;
        for (unsigned i = 1; i <= highest_; ++i) {
            double product = 1;
            for (unsigned j = subtables_; j-- > 0; product *= below[j]) right[j] = product;
            double left = 1;
            for (unsigned j = 0; j < subtables_; ++j) {
                const double here = shares[index(i, j)];
                const double above = i < highest_ ? shares[index(i + 1, j)] : 0;
                double flow = rates_.insertions * is_new * subtables_ * (below[j] - here) * left * right[j];
                if (leaving > 0) flow -= i * (here - above) * leaving;
                change[index(i, j)] = flow;
                left *= here;
                below[j] = here;
            }
        }
    }

private:
    /// Chance that a member has no copies, from the mean number of copies per fingerprint: c / (1 - e^-c) = copies.
    [[nodiscard]] double alone(double copies) const noexcept {
        if (fingerprints_ <= 0 || copies <= 1) return 1;
        double c = 2 * (copies - 1); // c / (1 - e^-c) = 1 + c/2 + c^2/12 - ...
        for (int i = 0; i < 20; ++i) {
            const double rest = -std::expm1(-c);
            const double off = c / rest - copies;
            const double slope = (rest - c * std::exp(-c)) / (rest * rest);
            c = std::fmax(1e-12, c - off / slope);
        }
        return std::exp(-c);
    }
    [[nodiscard]] std::size_t index(unsigned i, unsigned j) const { return std::size_t{j} * highest_ + i - 1; }

    unsigned subtables_;
    unsigned highest_;
    operation_rates rates_;
    double fingerprints_;
};

void integrate(const change_of_shares& system, state& shares, double duration) {
    namespace odeint = boost::numeric::odeint;
    if (duration <= 0) return;
    // Overflow depends on shares down to 1e-30: errors are relative to them.
    const auto stepper = odeint::make_controlled(1e-45, 1e-7, odeint::runge_kutta_dopri5<state>());
    odeint::integrate_adaptive(stepper, std::cref(system), shares, 0.0, duration, std::min(duration, 1e-3));
}

#if !defined(EVERBLOOM_SMALL)
/// The shares at which keys come and leave at the same pace, by Newton's method: where the differential equations would end after many
/// churn rounds, in a hundredth of the time.
///
/// With y for the shares of one load i, f_j = d (y'_j - y_j) (product of y left of j) (product of y' right of j) keys come to subtable j
/// and make buckets hold i keys, where y' are the shares of load i - 1, and i (y_j - y''_j) / load leave, y'' being those of load i + 1.
/// The equations of a load thus contain those of the two loads beside it, and the linear system of a step is solved load by load: from
/// the highest on, a change is expressed by that of the load below (change_i = by_below * change_(i-1) + constant).
class steady_shares {
public:
    steady_shares(unsigned subtables, unsigned levels, double load)
        : d_(subtables), levels_(levels), load_(load), shares_(std::size_t{levels + 2} * subtables, 0.0),
          steps_(levels + 2) {
        for (unsigned i = 0; i <= levels; ++i) {
            for (unsigned j = 0; j < d_; ++j) at(i, j) = i == 0 ? 1 : 1 / (1 + std::exp(2 * (i - load - 0.5)));
        }
        // Steps in time that become longer: the first guess may be far away, and Newton's own step is one of infinite length.
        double step = 1;
        constexpr int most_rounds = 200;
        for (int i = 0; i < most_rounds; ++i, step *= 4) {
            if (move(step) < 1e-12 && step > 1e6) break;
        }
    }

    [[nodiscard]] double share(unsigned i, unsigned j) const { return shares_[std::size_t{i} * d_ + j]; }

private:
    using row = std::array<double, max_subtables>;
    struct level_step {
        std::array<row, max_subtables> by_below;
        row constant;
    };

    [[nodiscard]] double& at(unsigned i, unsigned j) { return shares_[std::size_t{i} * d_ + j]; }

    /// An implicit step in time. Returns the largest relative change of a share.
    double move(double step) {
        steps_[levels_ + 1] = {};
        for (unsigned i = levels_; i >= 1; --i) steps_[i] = step_of(i, step);
        double largest = 0;
        row below{};
        for (unsigned i = 1; i <= levels_; ++i) {
            row change{};
            for (unsigned j = 0; j < d_; ++j) {
                change[j] = steps_[i].constant[j];
                for (unsigned l = 0; l < d_; ++l) change[j] += steps_[i].by_below[j][l] * below[l];
                double& here = at(i, j);
                // A share stays positive: a step that is too long is shortened.
                const double next = std::clamp(here + change[j], here / 16, 1.0);
                change[j] = next - here;
                constexpr double counts = 1e-250;
                if (here > counts) largest = std::fmax(largest, std::fabs(change[j]) / here);
                here = next;
            }
            below = change;
        }
        return largest;
    }

    [[nodiscard]] level_step step_of(unsigned i, double step) {
        std::array<std::array<double, 2 * max_subtables + 1>, max_subtables> m{}; // own changes, those below, constant
        const double leave = i / load_;
        for (unsigned j = 0; j < d_; ++j) {
            const double gap = share(i - 1, j) - share(i, j);
            const auto factor = [&](unsigned l) { return share(l < j ? i : i - 1, l); };
            double product = d_;
            for (unsigned l = 0; l < d_; ++l) product *= l == j ? 1 : factor(l);
            m[j][j] = -product - leave - 1 / step;
            m[j][d_ + j] = product;
            m[j][2 * d_] = gap * product - leave * (share(i, j) - share(i + 1, j));
            for (unsigned l = 0; l < d_; ++l) {
                if (l == j) continue;
                double others = d_ * gap; // without the factor of l
                for (unsigned o = 0; o < d_; ++o) others *= o == j || o == l ? 1 : factor(o);
                m[j][l < j ? l : d_ + l] += others;
            }
            for (unsigned l = 0; l < d_; ++l) m[j][l] += leave * steps_[i + 1].by_below[j][l];
            m[j][2 * d_] += leave * steps_[i + 1].constant[j];
        }
        for (unsigned l = 0; i == 1 && l < d_; ++l) {
            for (unsigned j = 0; j < d_; ++j) m[j][d_ + l] = 0; // all buckets hold at least no key
        }
        return solved(m);
    }

    /// Gauss and Jordan; the diagonal is far from zero.
    template <class Rows>
    [[nodiscard]] level_step solved(Rows& m) const {
        for (unsigned p = 0; p < d_; ++p) {
            for (unsigned j = 0; j < d_; ++j) {
                if (j == p) continue;
                const double times = m[j][p] / m[p][p];
                for (unsigned c = p; c <= 2 * d_; ++c) m[j][c] -= times * m[p][c];
            }
        }
        level_step made{};
        for (unsigned j = 0; j < d_; ++j) {
            for (unsigned l = 0; l < d_; ++l) made.by_below[j][l] = -m[j][d_ + l] / m[j][j];
            made.constant[j] = -m[j][2 * d_] / m[j][j];
        }
        return made;
    }

    unsigned d_;
    unsigned levels_;
    double load_;
    std::vector<double> shares_; // of load 0, 1 ... `levels_` + 1
    std::vector<level_step> steps_;
};
#endif

} // namespace

dleft_fluid_limit dleft_fluid_limit::solve(unsigned subtables, double load, unsigned highest, dleft_regime regime) {
    // Far above the highest level that is asked for, all buckets hold more; a forged load must not cost memory.
    if (regime == dleft_regime::steady_state) load = std::fmin(load, highest + 64.0);
    // A few levels more than asked for, so that the truncation has no effect.
    const unsigned levels = std::max(highest, static_cast<unsigned>(std::ceil(load))) + 4;
    dleft_fluid_limit made;
    made.subtables_ = subtables;
    made.highest_ = levels;
    made.shares_.assign(std::size_t{subtables} * levels + 1, 0.0);
    if (regime == dleft_regime::insertions_only || !(load > 0)) {
        integrate({subtables, levels, {1, 0}}, made.shares_, load);
        return made;
    }
#if defined(EVERBLOOM_SMALL) // less code: the differential equations themselves
    integrate({subtables, levels, {1, 0}}, made.shares_, load);
    constexpr double churn_rounds = 30; // what is left of the start after t turnovers is e^-t
    integrate({subtables, levels, {1, 1}}, made.shares_, churn_rounds * load);
#else
    const steady_shares steady(subtables, levels, load);
    for (unsigned i = 1; i <= levels; ++i) {
        for (unsigned j = 0; j < subtables; ++j) made.shares_[std::size_t{j} * levels + i - 1] = steady.share(i, j);
    }
    made.shares_.back() = load;
#endif
    return made;
}

dleft_fluid_limit dleft_fluid_limit::live(unsigned subtables, unsigned bucket_cells, const dleft_lifetime& lived) {
    dleft_fluid_limit made;
    made.subtables_ = subtables;
    made.highest_ = bucket_cells;
    made.shares_.assign(std::size_t{subtables} * bucket_cells + 1, 0.0);
    // Far above its cells a table is full, and following each key would take very long: then a part of each operation stands for all.
    const double scale = std::fmin(1, 64.0 * (bucket_cells + 1) / lived.inserted);
    const auto follow = [&](operation_rates rates, double duration) {
        integrate({subtables, bucket_cells, rates, lived.fingerprints}, made.shares_, duration);
    };
    follow({1, 0}, scale * lived.inserted);
    follow({0, 1}, std::min(scale * lived.removed, made.shares_.back() * (1 - 1e-9)));
    follow({1, 1}, scale * lived.replaced);
    made.shares_.back() /= scale;
    return made;
}

double dleft_fluid_limit::present() const {
    double sum = 0;
    for (unsigned keys = 1; keys <= highest_; ++keys) sum += at_least(keys);
    return sum;
}

double dleft_fluid_limit::share(unsigned keys, unsigned subtable) const {
    if (keys == 0) return 1;
    return keys > highest_ ? 0 : std::clamp(shares_[std::size_t{subtable} * highest_ + keys - 1], 0.0, 1.0);
}

double dleft_fluid_limit::at_least(unsigned keys) const {
    double sum = 0;
    for (unsigned j = 0; j < subtables_; ++j) sum += share(keys, j);
    return sum / subtables_;
}

double dleft_fluid_limit::everywhere_at_least(unsigned keys) const {
    double product = 1;
    for (unsigned j = 0; j < subtables_; ++j) product *= share(keys, j);
    return product;
}

double dleft_overflow_rate(unsigned subtables, unsigned bucket_cells, double load) {
    constexpr double steps = 16; // per unit of load
    const double rounded = std::ceil(load * steps) / steps;
    if (rounded >= bucket_cells) return 1;
    static std::mutex exclusion;
    static std::map<std::tuple<unsigned, unsigned, double>, double> known;
    const std::tuple key{subtables, bucket_cells, rounded};
    {
        const std::lock_guard lock(exclusion);
        if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    const double rate = dleft_fluid_limit::solve(subtables, rounded, bucket_cells, dleft_regime::steady_state)
                            .everywhere_at_least(bucket_cells);
    const std::lock_guard lock(exclusion);
    known.emplace(key, rate);
    return rate;
}

} // namespace everbloom
