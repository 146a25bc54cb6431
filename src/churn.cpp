// Two linear chains, solved forward in time for the cells and backward for a member's chances, then averaged over ages.
//
// Forward: the state of the cells from the start of the churn to its end. Backward: u_j(a), the chance that a member whose cell
// holds j others when it comes can still be removed from that cell at age a. A member that came at time s into cells in the
// state e(s) finds one of them free at time t with chance q = sum_j u_j(t - s) e_j(s); all k are saturated with (1 - q)^k. Members are
// as old as an exponential variable, or as old as the churn.
#include <everbloom/model/cells/churn.hpp>
#include <everbloom/model/cells/saturating_cells.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace everbloom {
namespace {

using state = std::vector<double>;
using derivative = std::function<void(const state&, state&)>;

constexpr double least_logged = 1e-300; // so that the logarithm of a chance of 0 is finite

/// A chain, reduced to what the age average needs.
struct chain {
    derivative forward;  // of the cells' state
    derivative backward; // of u
    std::function<state(const state&)>
        seen_by_comer;          // e: distribution of others where a new member lands, not saturated
    state start;                // cells when the churn begins
    state start_seen_by_member; // e for the members that were there before
};

/// Values beyond this many standard deviations above the mean do not occur.
std::size_t states_worth_keeping(double mean, std::uint64_t limit) {
    const double enough = std::ceil(mean + 14 * std::sqrt(mean + 1) + 30);
    return static_cast<std::size_t>(std::min<double>(enough, static_cast<double>(limit)));
}

/// Where a linear system goes in `duration`, by its Taylor series. The sum of a column of the system's matrix is at most `pace`: pieces of
/// time in which little happens keep the terms from growing before they fall.
state after(const derivative& system, state at, double duration, double pace) {
    const double pieces = std::fmax(1, std::ceil(duration * pace));
    const double piece = duration / pieces;
    state term;
    state change(at.size());
    for (double done = 0; done < pieces; ++done) {
        term = at;
        constexpr int most_terms = 40; // 1 / 40! is far below the last bit
        for (int n = 1; n <= most_terms; ++n) {
            system(term, change);
            double largest = 0;
            for (std::size_t i = 0; i < at.size(); ++i) {
                term[i] = change[i] * piece / n;
                at[i] += term[i];
                largest = std::fmax(largest, std::fabs(term[i]));
            }
            if (largest < 1e-18) break;
        }
    }
    return at;
}

/// A square matrix by its columns.
class matrix {
public:
    /// What a linear system does in `duration`: where the unit vectors go.
    matrix(const derivative& system, std::size_t size, double duration) : size_(size), columns_(size * size, 0.0) {
        double pace = 0;
        state change(size);
        for (std::size_t i = 0; i < size; ++i) {
            system(unit(i), change);
            double sum = 0;
            for (const double one : change) sum += std::fabs(one);
            pace = std::fmax(pace, sum);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const state column = after(system, unit(i), duration, pace);
            std::copy(column.begin(), column.end(), columns_.begin() + static_cast<std::ptrdiff_t>(i * size));
        }
    }
    [[nodiscard]] state operator*(const state& vector) const {
        state made(size_, 0.0);
        apply(vector.data(), made.data());
        return made;
    }
    [[nodiscard]] matrix squared() const {
        matrix made = *this;
        std::fill(made.columns_.begin(), made.columns_.end(), 0.0);
        for (std::size_t i = 0; i < size_; ++i) apply(columns_.data() + i * size_, made.columns_.data() + i * size_);
        return made;
    }

private:
    [[nodiscard]] state unit(std::size_t i) const {
        state made(size_, 0.0);
        made[i] = 1;
        return made;
    }
    void apply(const double* vector, double* sum) const {
        for (std::size_t i = 0; i < size_; ++i) {
            const double* const column = columns_.data() + i * size_;
            for (std::size_t j = 0; j < size_; ++j) sum[j] += vector[i] * column[j];
        }
    }

    std::size_t size_;
    std::vector<double> columns_;
};

/// The states of a linear system at the ends of its steps: `steps` of them by each matrix, in turn.
class trajectory {
public:
    template <class Matrices>
    trajectory(const Matrices& of_steps, const state& start, std::size_t steps) {
        points_.reserve(std::size(of_steps) * steps + 1);
        points_.push_back(start);
        for (const matrix& one : of_steps) {
            for (std::size_t i = 0; i < steps; ++i) points_.push_back(one * points_.back());
        }
    }
    [[nodiscard]] const state& at(std::size_t step) const { return points_[step]; }

private:
    std::vector<state> points_;
};

/// What a system does in `step`, in twice the time, four times ...
std::vector<matrix> doubling(const derivative& system, std::size_t size, double step, std::size_t count) {
    std::vector<matrix> made{matrix(system, size, step)};
    while (made.size() < count) made.push_back(made.back().squared());
    return made;
}

double inner_product(const state& a, const state& b) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
    return sum;
}

struct churned {
    state cells;
    double deletability;
};

churned follow(const chain& one, double churn_rounds, unsigned hashes) {
    // Members older than this are a share of e^-40.
    const double oldest = std::min(churn_rounds, 40.0);
    // Old members are few: the ages are cut into panels, each twice as long as the one before, with the same number of steps.
    constexpr double steps_per_turnover = 50;
    const auto panels = static_cast<std::size_t>(std::fmax(1, std::ceil(std::log2(oldest + 1))));
    const double first_panel = oldest / (std::exp2(static_cast<double>(panels)) - 1);
    const std::size_t steps =
        2 * std::max<std::size_t>(4, static_cast<std::size_t>(std::ceil(first_panel * steps_per_turnover / 2)));
    const double step = first_panel / static_cast<double>(steps);

    state at_window = one.start;
    if (churn_rounds > oldest) {
        const double before = churn_rounds - oldest;
        const auto halvings = static_cast<std::size_t>(std::fmax(0, std::ceil(std::log2(before / step))));
        matrix far(one.forward, one.start.size(), before / std::exp2(static_cast<double>(halvings)));
        for (std::size_t i = 0; i < halvings; ++i) far = far.squared();
        at_window = far * at_window;
    }
    auto of_cells = doubling(one.forward, one.start.size(), step, panels);
    std::reverse(of_cells.begin(), of_cells.end()); // time ends where ages begin
    const trajectory cells(of_cells, at_window, steps);
    const state all_free(one.start_seen_by_member.size(), 1.0);
    const trajectory chances(doubling(one.backward, all_free.size(), step, panels), all_free, steps);

    const auto all_stuck = [&](double free) { return std::pow(1 - std::clamp(free, 0.0, 1.0), hashes); };
    const std::size_t last = panels * steps;
    double undeletable = 0; // Simpson's rule over the ages, panel by panel
    for (std::size_t panel = 0; panel < panels; ++panel) {
        const double width = std::ldexp(step, static_cast<int>(panel));
        const double youngest = first_panel * (std::exp2(static_cast<double>(panel)) - 1);
        double sum = 0;
        for (std::size_t i = 0; i <= steps; ++i) {
            const double weight = (i == 0 || i == steps) ? 1 : (i % 2 == 1 ? 4 : 2);
            const std::size_t point = panel * steps + i;
            const double free = inner_product(chances.at(point), one.seen_by_comer(cells.at(last - point)));
            sum += weight * std::exp(-youngest - width * static_cast<double>(i)) * all_stuck(free);
        }
        undeletable += sum * width / 3;
    }
    if (churn_rounds <= oldest) {
        undeletable += std::exp(-oldest) * all_stuck(inner_product(chances.at(last), one.start_seen_by_member));
    }
    return {cells.at(last), std::clamp(1 - undeletable, 0.0, 1.0)};
}

/// Of j items that ever hit a cell each one stayed with chance 1 - d: the distribution of those left, for j up to `most`.
state left_of_poisson(double load, double deleted_share, std::size_t most) {
    state left(most + 1, 0.0);
    for (std::size_t i = 0; i <= most; ++i) {
        // sum_j>=i L^j/j! C(j,i) (1-d)^i d^(j-i) = (L(1-d))^i / i! * sum_m (Ld)^m / m!, m up to most - i
        const double here =
            std::exp(static_cast<double>(i) * std::log(std::max(load * (1 - deleted_share), least_logged)) -
                     std::lgamma(static_cast<double>(i) + 1) - load);
        left[i] = here * exponential_sum(load * deleted_share, most - i);
    }
    return left;
}

} // namespace

churned_cells churn_cells(const churn_start& start, std::uint64_t exact_up_to) {
    if (exact_up_to == 0) return {std::exp(-start.load - start.churn_load * start.churn_rounds), 0, 0};
    const double rate = start.churn_load;
    const std::size_t top = states_worth_keeping(std::max(start.load, rate), exact_up_to); // the largest exact value
    chain one;
    one.forward = [rate, top](const state& p, state& change) {
        for (std::size_t j = 0; j <= top; ++j) {
            const auto items = static_cast<double>(j);
            change[j] = -(rate + items) * p[j];
            if (j > 0) change[j] += rate * p[j - 1];
            if (j < top) change[j] += (items + 1) * p[j + 1];
        }
    };
    one.backward = [rate, top](const state& u, state& change) { // others 0..top-1; one more than that is saturated
        for (std::size_t j = 0; j < top; ++j) {
            const double above = j + 1 < top ? u[j + 1] : 0;
            change[j] = rate * (above - u[j]);
            if (j > 0) change[j] += static_cast<double>(j) * (u[j - 1] - u[j]);
        }
    };
    one.seen_by_comer = [top](const state& p) {
        return state(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(top));
    };
    one.start = left_of_poisson(start.load, start.deleted_share, top);
    one.start_seen_by_member = left_of_poisson(start.load, start.deleted_share, top - 1);
    const churned after = follow(one, start.churn_rounds, start.hashes);
    return {after.cells[0], after.cells[1], after.deletability};
}

churned_regions churn_regions(const churn_start& start, std::uint64_t region_bits) {
    const double rate = start.churn_load;
    const auto bits = static_cast<double>(region_bits);
    const std::size_t top = states_worth_keeping(bits * std::max(start.load, rate), region_bits); // most bits set
    const auto set = [](std::size_t j) { return static_cast<double>(j); };
    // State: p_j for clean regions with j bits set, then the share of all bits that are zero in flagged regions.
    chain one;
    one.forward = [=](const state& p, state& change) {
        double zeros_flagged = 0;
        for (std::size_t j = 0; j <= top; ++j) {
            change[j] = -(rate * bits + set(j)) * p[j];
            if (j > 0) change[j] += rate * (bits - set(j) + 1) * p[j - 1];
            if (j < top) change[j] += (set(j) + 1) * p[j + 1];
            zeros_flagged += rate * set(j) * p[j] * (bits - set(j)) / bits;
        }
        change[top + 1] = zeros_flagged - rate * p[top + 1];
    };
    const std::size_t others = std::min<std::size_t>(top + 1, region_bits); // 0 .. others-1 other bits set
    one.backward = [=](const state& u, state& change) {
        for (std::size_t j = 0; j < others; ++j) {
            const double above = j + 1 < others ? u[j + 1] : 0;
            change[j] = rate * (bits - 1 - set(j)) * (above - u[j]) - rate * (set(j) + 1) * u[j];
            if (j > 0) change[j] += set(j) * (u[j - 1] - u[j]);
        }
    };
    one.seen_by_comer = [=](const state& p) {
        state seen(others, 0.0);
        for (std::size_t j = 0; j < others; ++j) seen[j] = p[j] * (bits - set(j)) / bits;
        return seen;
    };

    // A bit of a clean region was hit never, or once and left, or once and stayed.
    const double stays = std::exp(-start.load) * start.load * (1 - start.deleted_share);
    const double clear = std::exp(-start.load) * (1 + start.load * start.deleted_share);
    const auto binomial = [&](double of, std::size_t j) {
        return std::exp(std::lgamma(of + 1) - std::lgamma(set(j) + 1) - std::lgamma(of - set(j) + 1) +
                        set(j) * std::log(std::max(stays, least_logged)) + (of - set(j)) * std::log(clear));
    };
    const double clean_others = std::exp((bits - 1) * (std::log1p(start.load) - start.load));
    one.start.assign(top + 2, 0.0);
    for (std::size_t j = 0; j <= top; ++j) one.start[j] = binomial(bits, j);
    one.start[top + 1] = std::exp(-start.load) * (1 - clean_others);
    one.start_seen_by_member.assign(others, 0.0);
    for (std::size_t j = 0; j < others; ++j)
        one.start_seen_by_member[j] = std::exp(-start.load) * binomial(bits - 1, j);

    const churned after = follow(one, start.churn_rounds, start.hashes);
    double zeros = after.cells[top + 1];
    for (std::size_t j = 0; j <= top; ++j) zeros += after.cells[j] * (bits - set(j)) / bits;
    return {zeros, after.deletability};
}

} // namespace everbloom
