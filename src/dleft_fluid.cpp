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
class change_of_shares {
public:
    change_of_shares(unsigned subtables, unsigned highest, operation_rates rates)
        : subtables_(subtables), highest_(highest), rates_(rates) {}

    void operator()(const state& shares, state& change, double) const {
        std::array<double, max_subtables> below{}; // y of load i - 1
        std::array<double, max_subtables> right{}; // product of y over the subtables to the right
        below.fill(1);
        double present = 0;
        for (const double share : shares) present += share / subtables_;
        const double leaving = present > 0 ? rates_.removals / present : 0;
        for (unsigned i = 1; i <= highest_; ++i) {
            double product = 1;
            for (unsigned j = subtables_; j-- > 0; product *= below[j]) right[j] = product;
            double left = 1;
            for (unsigned j = 0; j < subtables_; ++j) {
                const double here = shares[index(i, j)];
                const double above = i < highest_ ? shares[index(i + 1, j)] : 0;
                double flow = rates_.insertions * subtables_ * (below[j] - here) * left * right[j];
                if (leaving > 0) flow -= i * (here - above) * leaving;
                change[index(i, j)] = flow;
                left *= here;
                below[j] = here;
            }
        }
    }

private:
    [[nodiscard]] std::size_t index(unsigned i, unsigned j) const { return std::size_t{j} * highest_ + i - 1; }

    unsigned subtables_;
    unsigned highest_;
    operation_rates rates_;
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
    made.shares_.assign(std::size_t{subtables} * levels, 0.0);
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
    made.shares_.assign(std::size_t{subtables} * bucket_cells, 0.0);
    integrate({subtables, bucket_cells, {1, 0}}, made.shares_, lived.inserted);
    integrate({subtables, bucket_cells, {0, 1}}, made.shares_, std::min(lived.removed, made.present() * (1 - 1e-9)));
    integrate({subtables, bucket_cells, {1, 1}}, made.shares_, lived.replaced);
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
