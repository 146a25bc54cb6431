// Numbers and nouns in text: 1.00 %, 21,290 keys, 4.7 KiB, "an elastic filter". For people only: JSON and CSV have plain numbers.
#pragma once

#include <everbloom/core/article.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// 0.01 -> "1.00 %": three significant digits; below 1e-6 as "1.25e-05 %", below 1e-9 as "< 1e-9".
[[nodiscard]] inline std::string rate_text(double rate) {
    constexpr double least_shown = 1e-9;
    constexpr double least_in_digits = 1e-6;
    if (rate == 0) return "0 %";
    if (rate > 0 && rate < least_shown) return "< 1e-9";
    const double percent = rate * 100;
    if (!(rate >= least_in_digits)) return fmt::format("{:.2e} %", percent);
    int digits = 2 - static_cast<int>(std::floor(std::log10(percent)));
    const double next_decade = std::pow(10.0, 3 - digits);
    if (percent >= next_decade - std::pow(10.0, -digits) / 2) --digits; // it is rounded up to 0.100, not to 0.1000
    return fmt::format("{:.{}f} %", percent, std::max(digits, 0));
}

/// 21290 -> "21,290"
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

/// "1 key", "2 keys", "21,290 keys"
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

/// "about 21,290 keys": a number of keys that was estimated from the cells. Cells that are all occupied give no estimate.
[[nodiscard]] inline std::string estimated_keys(double keys) {
    constexpr double most = 1e18;
    if (!std::isfinite(keys) || keys >= most) return "an unknown number of keys (all cells are occupied)";
    return "about " + counted(static_cast<std::uint64_t>(std::llround(std::max(keys, 0.0))), "key");
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

/// A parameter of a geometry, as a flag takes it: 12 or 0.2, without separators.
[[nodiscard]] inline std::string number_text(std::uint64_t value, field_form form) {
    return form == field_form::whole ? fmt::format("{}", value)
                                     : fmt::format("{}", static_cast<double>(value) / field_million);
}

/// The same, or the name of a choice.
[[nodiscard]] inline std::string value_text(const geometry_value& one) {
    return one.word.empty() ? number_text(one.value, one.form) : std::string(one.word);
}

} // namespace everbloom::cli
