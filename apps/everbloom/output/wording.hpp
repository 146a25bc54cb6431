// Numbers as people read them: 1.00 %, 4.7 KiB, "1 key" but "2 keys".
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// 0.01 -> "1.00 %", with three digits that mean something; very small rates as "1.2e-09 %".
[[nodiscard]] inline std::string rate_text(double rate) {
    if (rate == 0) return "0 %";
    const double percent = rate * 100;
    if (!(percent >= 1e-4)) return fmt::format("{:.1e} %", percent);
    const int digits = percent >= 99.95 ? 0 : 2 - static_cast<int>(std::floor(std::log10(percent)));
    return fmt::format("{:.{}f} %", percent, std::max(digits, 0));
}

/// "1 key", "2 keys"
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// 4793 -> "4.7 KiB"
[[nodiscard]] inline std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return counted(bytes, "byte");
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
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

/// A number of a geometry as people write it: 12 or 0.2.
[[nodiscard]] inline std::string number_text(std::uint64_t value, field_form form) {
    return form == field_form::whole ? fmt::format("{}", value)
                                     : fmt::format("{}", static_cast<double>(value) / field_million);
}

/// The same, or the word of a choice.
[[nodiscard]] inline std::string value_text(const geometry_value& one) {
    return one.word.empty() ? number_text(one.value, one.form) : std::string(one.word);
}

} // namespace everbloom::cli
