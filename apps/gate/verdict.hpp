// Verdicts about packets, and standings of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace everbloom::cli {

enum class verdict : std::uint8_t { accept, bad, reject };
enum class standing : std::uint8_t { bad, good, neither };

inline constexpr std::array<std::string_view, 3> verdict_words{"ACCEPT", "BAD", "REJECT"};
inline constexpr std::array<std::string_view, 3> standing_words{"BAD", "GOOD", "NEITHER"};

[[nodiscard]] constexpr std::string_view word_of(verdict said) noexcept {
    return verdict_words[static_cast<std::size_t>(said)];
}

[[nodiscard]] constexpr std::string_view word_of(standing said) noexcept {
    return standing_words[static_cast<std::size_t>(said)];
}

/// A sender is banned permanently at this number of strikes.
inline constexpr unsigned strikes_to_be_out = 3;

} // namespace everbloom::cli
