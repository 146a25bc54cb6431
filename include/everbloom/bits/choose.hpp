// choose: one of two values without a branch, for unpredictable conditions: a branch would be mispredicted half the time.
#pragma once

#include <cstdint>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t choose(bool condition, std::uint64_t if_true, std::uint64_t if_false) noexcept {
    return if_false ^ ((if_true ^ if_false) & -static_cast<std::uint64_t>(condition));
}

template <class T>
[[nodiscard]] T* choose(bool condition, T* if_true, T* if_false) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is the purpose
    return reinterpret_cast<T*>(choose(condition, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(if_true)),
                                       static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(if_false))));
}

} // namespace everbloom
