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

} // namespace

dleft_fluid_limit dleft_fluid_limit::solve(unsigned subtables, double load, unsigned highest, dleft_regime regime) {
    // A few levels more than asked for, so that the truncation has no effect.
    const unsigned levels = std::max(highest, static_cast<unsigned>(std::ceil(load))) + 3;
    dleft_fluid_limit made;
    made.subtables_ = subtables;
    made.highest_ = levels;
    made.shares_.assign(std::size_t{subtables} * levels + 1, 0.0);
    integrate({subtables, levels, {1, 0}}, made.shares_, load);
    if (regime == dleft_regime::steady_state && load > 0) {
        // What is left of the start after t turnovers is e^-t.
        constexpr double churn_rounds = 30;
        integrate({subtables, levels, {1, 1}}, made.shares_, churn_rounds * load);
    }
    return made;
}

dleft_fluid_limit dleft_fluid_limit::live(unsigned subtables, unsigned bucket_cells, const dleft_lifetime& lived) {
    dleft_fluid_limit made;
    made.subtables_ = subtables;
    made.highest_ = bucket_cells;
    made.shares_.assign(std::size_t{subtables} * bucket_cells + 1, 0.0);
    const auto follow = [&](operation_rates rates, double duration) {
        integrate({subtables, bucket_cells, rates, lived.fingerprints}, made.shares_, duration);
    };
    follow({1, 0}, lived.inserted);
    follow({0, 1}, std::min(lived.removed, made.shares_.back() * (1 - 1e-9)));
    follow({1, 1}, lived.replaced);
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
