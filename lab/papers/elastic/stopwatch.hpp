// Timing on a shared machine: several rounds over all contestants in turn, in CPU time, compared round by round.
//
// CPU time leaves out what other processes take. What they do to caches and clocks remains; it changes slowly, so two contestants of the
// same round meet about the same, and the ratio of their speeds varies less than the speeds. Decided is what the 95 % interval of the mean
// ratio decides.
#pragma once

#include "lab/papers/artefact.hpp"
#include "lab/papers/comparison.hpp"

#include <everbloom/simulation/interval.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

namespace everbloom::lab::elastic {

inline constexpr int timed_rounds = 5;

/// CPU time that an operation of this thread takes, in seconds.
template <class Operation>
[[nodiscard]] double cpu_seconds_of(Operation operation) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    operation();
    return now() - start;
}

/// Elapsed time, for an operation of several threads.
template <class Operation>
[[nodiscard]] double elapsed_seconds_of(Operation operation) {
    const auto start = std::chrono::steady_clock::now();
    operation();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A positive number from each round.
class round_values {
public:
    void note(double value) { values_.push_back(std::max(value, 1e-12)); }
    /// A speed, in millions of operations per second.
    void note_speed(std::uint64_t operations, double seconds) {
        note(static_cast<double>(operations) / std::max(seconds, 1e-9) / 1e6);
    }
    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    [[nodiscard]] double in_round(std::size_t round) const noexcept { return values_[round]; }
    [[nodiscard]] std::size_t rounds() const noexcept { return values_.size(); }

    /// Geometric mean, with the 95 % interval of Student over the logarithms.
    [[nodiscard]] estimate mean() const {
        double sum = 0;
        for (const double value : values_) sum += std::log(value);
        const auto count = static_cast<double>(values_.size());
        const double middle = sum / count;
        if (values_.size() < 2) return {std::exp(middle), 0, std::exp(middle) * 1e9};
        double squares = 0;
        for (const double value : values_) squares += std::pow(std::log(value) - middle, 2);
        const double reach = student_reach(count) * std::sqrt(squares / (count - 1) / count);
        return {std::exp(middle), std::exp(middle - reach), std::exp(middle + reach)};
    }
    [[nodiscard]] double value() const { return mean().mean; }

    /// Round by round.
    friend round_values operator/(const round_values& a, const round_values& b) {
        round_values made;
        for (std::size_t i = 0; i < std::min(a.rounds(), b.rounds()); ++i) made.note(a.in_round(i) / b.in_round(i));
        return made;
    }

private:
    std::vector<double> values_;
};

/// "a is more than b": undecided if the 95 % interval of their ratio contains 1.
inline void note_more(place_count& places, const round_values& a, const round_values& b) {
    const estimate ratio = (a / b).mean();
    if (ratio.low > 1) {
        places.hold();
    } else if (ratio.high < 1) {
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
