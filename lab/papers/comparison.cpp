#include "lab/papers/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom::lab {

void place_count::note_less(const estimate& a, const estimate& b) noexcept {
    if (a.high < b.low) {
        hold();
    } else if (a.low > b.high) {
        miss();
    } else {
        leave_open();
    }
}

void place_count::note_strictly_less(const estimate& a, const estimate& b) noexcept {
    const bool at_an_end = a.mean == 0 || a.mean == 1;
    if (a.mean == b.mean && !at_an_end) {
        miss();
    } else {
        note_less(a, b);
    }
}

double place_count::share() const noexcept {
    if (decided() == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(held_) / static_cast<double>(decided());
}

std::string place_count::words() const {
    return fmt::format("at {} of {} points{}", held_, decided(),
                       open_ == 0 ? "" : fmt::format(" ({} undecided)", open_));
}

void fit::note(const estimate& measured, double said) noexcept {
    constexpr double reach = 2; // times the interval
    constexpr double narrow = 0.05;
    const double unit = kind_ == error::relative ? said : 1;
    const double slack = tolerance_ * unit;
    const double low = measured.mean - reach * (measured.mean - measured.low) - slack;
    const double high = measured.mean + reach * (measured.high - measured.mean) + slack;
    places_.note(low <= said && said <= high);
    within_ += measured.contains(said) ? 1 : 0;
    if (measured.high - measured.low > 2 * narrow * unit) return;
    const double off = std::abs(measured.mean - said) / unit;
    ++narrow_;
    sum_ += off;
    largest_ = std::max(largest_, off);
}

std::string fit::words() const {
    const auto size = [this](double off) {
        return kind_ == error::relative ? fmt::format("{:.2g} %", off * 100) : fmt::format("{:.2g}", off);
    };
    std::string text = fmt::format("{} settings", places_.decided());
    if (narrow_ > 0) {
        text +=
            fmt::format(", mean error {}, largest error {}", size(sum_ / static_cast<double>(narrow_)), size(largest_));
    }
    if (narrow_ > 0 && narrow_ < places_.decided()) {
        text += fmt::format(" (of the {} with intervals narrower than 5 %)", narrow_);
    }
    return text + fmt::format("; {:.0f} % of the 95 % intervals contain it",
                              100 * static_cast<double>(within_) / static_cast<double>(places_.decided()));
}

estimate difference(const estimate& a, const estimate& b) noexcept {
    const double mean = a.mean - b.mean;
    return {mean, mean - std::hypot(a.mean - a.low, b.high - b.mean),
            mean + std::hypot(a.high - a.mean, b.mean - b.low)};
}

} // namespace everbloom::lab
