// How long random tests run: EVERBLOOM_TEST_ROUNDS=few for a quick look, many for a night, absent for every day.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace everbloom::support {

/// The number of rounds to run in place of `normal`; at least one.
[[nodiscard]] inline std::uint64_t rounds(std::uint64_t normal) noexcept {
    constexpr std::uint64_t factor = 20;
    const char* wish = std::getenv("EVERBLOOM_TEST_ROUNDS");
    const std::string_view wanted = wish == nullptr ? "" : wish;
    if (wanted == "few") return normal / factor == 0 ? 1 : normal / factor;
    if (wanted == "many") return normal * factor;
    return normal;
}

} // namespace everbloom::support
