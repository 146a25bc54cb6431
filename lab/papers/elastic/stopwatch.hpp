// Timing on a shared machine: several rounds over all contestants in turn, of which the best counts. Disturbances only make a run slower.
#pragma once

#include "lab/papers/artefact.hpp"
#include "lab/papers/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

namespace everbloom::lab::elastic {

inline constexpr int timed_rounds = 3;

/// Duration of an operation in seconds.
template <class Operation>
[[nodiscard]] double seconds_of(Operation operation) {
    const auto start = std::chrono::steady_clock::now();
    operation();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Speeds of several rounds. The estimate is the best, with an interval from the worst to the best.
class best_rate {
public:
    void note(std::uint64_t operations, double seconds) noexcept {
        const double millions = static_cast<double>(operations) / std::max(seconds, 1e-9) / 1e6;
        best_ = std::max(best_, millions);
        worst_ = std::min(worst_, millions);
    }
    [[nodiscard]] double best() const noexcept { return best_; }
    [[nodiscard]] estimate shown() const noexcept { return {best_, std::min(worst_, best_), best_}; }

private:
    double best_ = 0;
    double worst_ = std::numeric_limits<double>::infinity();
};

/// "a is faster than b", undecided if the difference is within the noise.
inline void note_faster(place_count& places, double a, double b) noexcept {
    constexpr double margin = 1.1;
    if (a > b * margin) {
        places.hold();
    } else if (b > a * margin) {
        places.miss();
    } else {
        places.leave_open();
    }
}

/// A mean of ratios.
class mean_ratio {
public:
    void note(double a, double b) noexcept {
        sum_ += std::log(a / b);
        ++count_;
    }
    [[nodiscard]] double value() const noexcept { return count_ == 0 ? 1 : std::exp(sum_ / count_); }

private:
    double sum_ = 0;
    int count_ = 0;
};

} // namespace everbloom::lab::elastic
