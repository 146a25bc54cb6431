#include <everbloom/core/wording.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace everbloom {
namespace {

/// std::to_chars and not printf, which writes a comma in some locales.
std::string digits_of(double number, std::chars_format form, int digits) {
#if defined(__cpp_lib_to_chars)
    std::array<char, 512> text; // the largest double has 309 digits before the point
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number, form, digits).ptr;
    return {text.data(), end};
#else // libc++ 14 has none for these. Not a stream, which would be a tenth of the module for browsers
    std::array<char, 512> text;
    const char* const format = form == std::chars_format::fixed        ? "%.*f"
                               : form == std::chars_format::scientific ? "%.*e"
                                                                       : "%.*g";
    const int length = std::snprintf(text.data(), text.size(), format, digits, number);
    std::replace(text.begin(), text.begin() + length, ',', '.');
    return {text.data(), static_cast<std::size_t>(length)};
#endif
}

} // namespace

std::string rate_text(double rate) {
    constexpr double least_shown = 1e-9;
    constexpr double least_in_digits = 1e-6;
    if (rate == 0) return "0 %";
    if (rate > 0 && rate < least_shown) return "< 1e-9";
    const double percent = rate * 100;
    if (!(rate >= least_in_digits)) return digits_of(percent, std::chars_format::scientific, 2) + " %";
    int digits = 2 - static_cast<int>(std::floor(std::log10(percent)));
    const double next_decade = std::pow(10.0, 3 - digits);
    if (percent >= next_decade - std::pow(10.0, -digits) / 2) --digits; // it is rounded up to 0.100, not to 0.1000
    return digits_of(percent, std::chars_format::fixed, std::max(digits, 0)) + " %";
}

std::string grouped(std::uint64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string estimated_keys(double keys) {
    constexpr double most = 1e18;
    if (!std::isfinite(keys) || keys >= most) return "an unknown number of keys (all cells are occupied)";
    return "about " + counted(static_cast<std::uint64_t>(std::llround(std::max(keys, 0.0))), "key");
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return counted(bytes, "byte");
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return digits_of(value, std::chars_format::fixed, 1) + " " + std::string(units[unit]);
}

} // namespace everbloom
