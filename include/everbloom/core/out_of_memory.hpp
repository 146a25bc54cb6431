// Strings and vectors throw when memory runs out. At the public functions of the library that becomes an ordinary failure.
#pragma once

#include <everbloom/core/result.hpp>

#include <new>
#include <utility>

namespace everbloom {

/// What `work` returns, a result; or, if std::bad_alloc comes out of it, the failure `out_of_memory`.
template <class Work>
[[nodiscard]] auto or_out_of_memory(Work&& work) -> decltype(work()) {
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
        // Short enough to live inside the string object: there is no memory for a longer sentence.
        return fail(failure_reason::out_of_memory, "out of memory");
    }
}

} // namespace everbloom
