// A `new` that fails when told to. This test program replaces the global operator new and aligned_alloc, from which filters have their
// words (failing_new.cpp); as long as a failing_new lives, allocations of this thread are counted, and those it was asked to refuse
// throw std::bad_alloc, or return no memory.
#pragma once

#include <cstdint>

namespace everbloom::hostile {

/// No operation that is tried needs so many allocations.
inline constexpr std::uint64_t more_than_any_needs = 10000;

enum class refusal { once, from_then_on };

class failing_new {
public:
    /// Refuses the allocation with this number, counted from 1, or that one and all after it.
    failing_new(std::uint64_t number, refusal how) noexcept;
    failing_new(const failing_new&) = delete;
    failing_new& operator=(const failing_new&) = delete;
    ~failing_new();

    /// Whether anything was refused: if not, the work is done with fewer allocations than that.
    [[nodiscard]] bool happened() const noexcept;
};

} // namespace everbloom::hostile
