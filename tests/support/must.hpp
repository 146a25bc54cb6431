// must: the value of a result that a test relies on; a failure ends the test with its own sentence.
#pragma once

#include <everbloom/core/result.hpp>

#include <stdexcept>
#include <utility>

namespace everbloom::support {

template <class T>
T must(result<T> made) {
    if (!made) throw std::runtime_error(made.error().sentence);
    return std::move(*made);
}

inline void must(const result<void>& done) {
    if (!done) throw std::runtime_error(done.error().sentence);
}

} // namespace everbloom::support
