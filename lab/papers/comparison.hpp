// Comparisons with confidence intervals: is one measured share below another, and does a formula agree with measurements?
#pragma once

#include "lab/papers/artefact.hpp"
#include "lab/papers/claim.hpp"

#include <cstddef>
#include <string>

namespace everbloom::lab {

/// Counts the points where a statement holds, where it does not, and where the intervals are too wide to decide.
class place_count {
public:
    void hold() noexcept { ++held_; }
    void miss() noexcept { ++missed_; }
    void leave_open() noexcept { ++open_; }
    void note(bool holds) noexcept { holds ? hold() : miss(); }
    /// The statement is "a is less than b", decided where the intervals do not overlap.
    void note_less(const estimate& a, const estimate& b) noexcept;
    /// The same for filters that may answer identically: exactly equal is "not less", unless both are at an end of the scale.
    void note_strictly_less(const estimate& a, const estimate& b) noexcept;

    /// Share of the decided points; NaN if there are none.
    [[nodiscard]] double share() const noexcept;
    /// The same for a finding.
    [[nodiscard]] measured_value counted() const { return {share(), held_, decided()}; }
    /// The cases where the statement does not hold, for a claim of the opposite.
    [[nodiscard]] measured_value counted_misses() const { return {1 - share(), missed_, decided()}; }
    [[nodiscard]] std::size_t held() const noexcept { return held_; }
    [[nodiscard]] std::size_t decided() const noexcept { return held_ + missed_; }
    /// "at 14 of 16 points (2 undecided)"
    [[nodiscard]] std::string words() const;

private:
    std::size_t held_ = 0;
    std::size_t missed_ = 0;
    std::size_t open_ = 0;
};

/// Agreement of a formula with measurements. A point agrees if the formula is within twice the 95 % interval of the mean, plus the
/// tolerance: of many points some lie outside their interval by chance, but hardly any outside of twice its width.
class fit {
public:
    enum class error { relative, absolute };

    fit(error kind, double tolerance) noexcept : kind_(kind), tolerance_(tolerance) {}

    void note(const estimate& measured, double said) noexcept;

    [[nodiscard]] double share() const noexcept { return places_.share(); }
    [[nodiscard]] measured_value counted() const { return places_.counted(); }
    /// "243 settings, mean error 0.4 %, largest error 2.9 % (of the 180 with intervals narrower than 5 %); 95 % of the 95 %
    /// intervals contain it"
    [[nodiscard]] std::string words() const;

private:
    error kind_;
    double tolerance_;
    place_count places_;
    std::size_t within_ = 0; // the 95 % interval
    std::size_t narrow_ = 0; // points with narrow intervals
    double sum_ = 0;         // of their errors
    double largest_ = 0;
};

/// Cases of two sorts together.
[[nodiscard]] inline measured_value together(const measured_value& a, const measured_value& b) {
    const std::size_t cases = a.cases + b.cases;
    const std::size_t held = a.held + b.held;
    const double share = cases > 0 ? static_cast<double>(held) / static_cast<double>(cases) : a.number;
    return {share, held, cases};
}

/// The difference of two independent measured values, with its interval.
[[nodiscard]] estimate difference(const estimate& a, const estimate& b) noexcept;

/// 1 - a
[[nodiscard]] inline estimate complement(const estimate& a) noexcept { return {1 - a.mean, 1 - a.high, 1 - a.low}; }

} // namespace everbloom::lab
