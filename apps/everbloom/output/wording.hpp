// Numbers in reports and on terminals: 61.7 bits per key, 1.2 M; the words of the library besides. For people only: JSON and CSV
// have plain numbers.
#pragma once

#include <everbloom/core/article.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/runtime/geometry_text.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// "61.7"; "-" while there are no keys, or so few that the number says nothing.
[[nodiscard]] inline std::string bits_per_key_text(std::uint64_t bytes, double keys) {
    constexpr double most_that_says_something = 1000;
    if (!std::isfinite(keys) || keys < 0.5) return "-";
    const double bits = 8 * static_cast<double>(bytes) / std::round(keys);
    return bits < most_that_says_something ? fmt::format("{:.1f}", bits) : "-";
}

/// "505.1 KiB (61.7 bits per key)"; the bytes alone while there are no keys.
[[nodiscard]] inline std::string size_text(std::uint64_t bytes, double keys) {
    const std::string bits = bits_per_key_text(bytes, keys);
    return bits == "-" ? bytes_text(bytes) : fmt::format("{} ({} bits per key)", bytes_text(bytes), bits);
}

/// 1234567 -> "1.2 M"
[[nodiscard]] inline std::string short_count(double number) {
    constexpr std::array<std::string_view, 4> units{"", " k", " M", " G"};
    std::size_t unit = 0;
    while (number >= 1000 && unit + 1 < units.size()) {
        number /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f}{}", number, unit == 0 ? 0 : 1, units[unit]);
}

} // namespace everbloom::cli
