// Deciding with intervals: is one measured share below another, does a formula agree with a measurement, and at how many places?
#pragma once

#include "lab/papers/artefact.hpp"

#include <cstddef>
#include <string>

namespace everbloom::lab {

/// Counts the places where a statement holds, where it does not, and where the intervals are too wide to say.
class place_count {
public:
    void hold() noexcept { ++held_; }
    void miss() noexcept { ++missed_; }
    void leave_open() noexcept { ++open_; }
    void note(bool holds) noexcept { holds ? hold() : miss(); }
    /// The statement is "a is less than b", decided where the intervals are apart.
    void note_less(const estimate& a, const estimate& b) noexcept;
    /// The same for filters that may well give the same answers to the same keys: equal to the last digit is not less, unless both are
    /// at an end of the scale.
    void note_strictly_less(const estimate& a, const estimate& b) noexcept;

    /// Of the places where it could be decided; not a number if there were none.
    [[nodiscard]] double share() const noexcept;
    [[nodiscard]] std::size_t held() const noexcept { return held_; }
    [[nodiscard]] std::size_t decided() const noexcept { return held_ + missed_; }
    /// "at 14 of 16 places (2 undecided)"
    [[nodiscard]] std::string words() const;

private:
    std::size_t held_ = 0;
    std::size_t missed_ = 0;
    std::size_t open_ = 0;
};

/// How well a formula agrees with measurements. A place holds if the formula is no further from the mean than twice the 95 % interval
/// reaches, plus the tolerance: of many places some lie outside their interval by chance, but hardly any outside of twice its width.
class fit {
public:
    enum class error { relative, absolute };

    fit(error kind, double tolerance) noexcept : kind_(kind), tolerance_(tolerance) {}

    void note(const estimate& measured, double said) noexcept;

    [[nodiscard]] double share() const noexcept { return places_.share(); }
    /// "243 settings, off by 0.4 % on average and by 2.9 % at most where the interval is narrow (180 settings); 95 % of all 95 %
    /// intervals hold it"
    [[nodiscard]] std::string words() const;

private:
    error kind_;
    double tolerance_;
    place_count places_;
    std::size_t within_ = 0; // the 95 % interval
    std::size_t narrow_ = 0; // intervals that say something about the size of an error
    double sum_ = 0;         // of the errors there
    double largest_ = 0;
};

/// The difference of two measured values, with an interval that holds for independent ones.
[[nodiscard]] estimate difference(const estimate& a, const estimate& b) noexcept;

/// 1 - a
[[nodiscard]] inline estimate complement(const estimate& a) noexcept { return {1 - a.mean, 1 - a.high, 1 - a.low}; }

} // namespace everbloom::lab
