#include "experiments/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom::experiments {

void place_count::note_less(const estimate& a, const estimate& b) noexcept {
    const bool at_an_end = a.mean == 0 || a.mean == 1;
    if (a.high < b.low) {
        hold();
    } else if (a.low > b.high || (a.mean == b.mean && !at_an_end)) {
        miss();
    } else {
        leave_open();
    }
}

double place_count::share() const noexcept {
    if (decided() == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(held_) / static_cast<double>(decided());
}

std::string place_count::words() const {
    return fmt::format("at {} of {} places{}", held_, decided(),
                       open_ == 0 ? "" : fmt::format(" ({} undecided)", open_));
}

void fit::note(const estimate& measured, double said) noexcept {
    const double slack = kind_ == error::relative ? tolerance_ * said : tolerance_;
    const double off = std::abs(measured.mean - said) / (kind_ == error::relative ? said : 1);
    places_.note(measured.low - slack <= said && said <= measured.high + slack);
    within_ += measured.contains(said) ? 1 : 0;
    sum_ += off;
    largest_ = std::max(largest_, off);
}

std::string fit::words() const {
    const auto count = static_cast<double>(places_.decided());
    const auto size = [this](double off) {
        return kind_ == error::relative ? fmt::format("{:.2g} %", off * 100) : fmt::format("{:.2g}", off);
    };
    return fmt::format("{} settings, off by {} on average and by {} at most; {:.0f} % of the 95 % intervals hold it",
                       places_.decided(), size(sum_ / count), size(largest_),
                       100 * static_cast<double>(within_) / count);
}

estimate difference(const estimate& a, const estimate& b) noexcept {
    const double mean = a.mean - b.mean;
    return {mean, mean - std::hypot(a.mean - a.low, b.high - b.mean),
            mean + std::hypot(a.high - a.mean, b.mean - b.low)};
}

} // namespace everbloom::experiments
