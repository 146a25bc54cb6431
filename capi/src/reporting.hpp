// reporting: what happens inside becomes a code, a sentence, and never an exception.
//
// Every function of the interface that can fail runs its work through one of the three templates below. The work returns a result; what
// it throws is caught: no memory is an ordinary failure, anything else a defect that is reported as such.
#pragma once

#include "handle.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

namespace everbloom::capi {

/// Fills the error, if there is one, and returns the code.
int report(eb_error* error, int code, std::string_view sentence) noexcept;
int report(eb_error* error, const failure& what) noexcept;
/// For a `catch (...)`: the exception that is being handled.
int report_exception(eb_error* error) noexcept;

/// The failure for a pointer that must not be NULL: "keys is NULL".
[[nodiscard]] unexpected<failure> null_pointer(std::string_view name);

/// The handle as a reference, or a failure.
[[nodiscard]] inline result<void> check_handle(const eb_filter* filter, std::string_view name = "filter") {
    if (filter == nullptr) return null_pointer(name);
    if (!filter->core.filter().has_filter()) {
        return fail(failure_reason::bad_parameter, std::string(name) + " is empty: it was moved away");
    }
    return {};
}

/// For functions that return a code: `work` returns a result<void>.
template <class Work>
int code_of(eb_error* error, Work work) noexcept {
    try {
        const result<void> done = work();
        return done ? EB_OK : report(error, done.error());
    } catch (...) {
        return report_exception(error);
    }
}

/// For functions that return a number: `work` returns a result of one.
template <class Work>
auto number_of(eb_error* error, Work work) noexcept -> typename decltype(work())::value_type {
    using number = typename decltype(work())::value_type;
    try {
        const auto done = work();
        return done ? *done : static_cast<number>(-report(error, done.error()));
    } catch (...) {
        return static_cast<number>(-report_exception(error));
    }
}

/// For functions that return a new filter: `work` returns a result<filter_core>.
template <class Work>
eb_filter* filter_of(eb_error* error, Work work) noexcept {
    try {
        result<door::filter_core> done = work();
        if (done) return new eb_filter(std::move(*done));
        report(error, done.error());
    } catch (...) {
        report_exception(error);
    }
    return nullptr;
}

} // namespace everbloom::capi
