// error: the exception of everbloom, a failure that is thrown. Only what fails rarely throws (making, opening, saving, merging), and
// every function that throws has a `try_` form that returns a result.
#pragma once

#include <everbloom/core/failure.hpp>

#include <stdexcept>
#include <utility>

namespace everbloom {

/// A failure that is thrown.
class error : public std::runtime_error {
public:
    /// From a failure: what() is its sentence.
    explicit error(const failure& what) : std::runtime_error(what.sentence), reason_(what.reason) {}

    /// For a program; what() is for a person.
    [[nodiscard]] failure_reason reason() const noexcept { return reason_; }

private:
    failure_reason reason_;
};

} // namespace everbloom
