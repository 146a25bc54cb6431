#include <everbloom/filter/spec.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

namespace everbloom {
namespace {

auto not_a(std::string_view what, std::string_view text, std::string_view example) {
    return fail(failure_reason::bad_parameter,
                "'" + std::string(text) + "' is not " + std::string(what) + "; write it like " + std::string(example));
}

constexpr std::string_view size_examples = "5000, 10k, 4MiB or 1e6";
constexpr std::string_view rate_examples = "0.001, 0.1% or 1/1000";

#if !defined(__cpp_lib_to_chars)
/// Of the number at the front of `text`, as from_chars reads it: 12, 1.5, .5, 1e6; 0 if there is none.
std::size_t number_length(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const auto skip_digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        return at - from;
    };
    std::size_t digits = skip_digits();
    if (at < text.size() && text[at] == '.') {
        ++at;
        const std::size_t behind = skip_digits();
        digits += behind;
    }
    if (digits == 0) return 0;
    const std::size_t mantissa = at;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (skip_digits() == 0) at = mantissa; // the e is not part of it
    }
    return at;
}
#endif

/// The longest number at the front of `text`, which is cut off it.
result<double> take_number(std::string_view& text) {
    double value = 0;
#if defined(__cpp_lib_to_chars)
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool found = error == std::errc{};
    const auto used = static_cast<std::size_t>(end - text.data());
#else // libc++ 14 has none for these
    const std::size_t used = number_length(text);
    const bool found = used != 0;
    std::string number(text.substr(0, used));
    std::replace(number.begin(), number.end(), '.', *std::localeconv()->decimal_point);
    value = std::strtod(number.c_str(), nullptr);
#endif
    if (!found || !std::isfinite(value) || value < 0) return fail(failure_reason::bad_parameter, "not a number");
    text.remove_prefix(used);
    return value;
}

/// 1 for no suffix, 0 for one that is unknown.
double multiplier(std::string_view suffix) {
    if (!suffix.empty() && suffix.back() == 'B') suffix.remove_suffix(1);
    constexpr std::array<std::pair<std::string_view, double>, 11> suffixes{{{"", 1},
                                                                            {"k", 1e3},
                                                                            {"K", 1e3},
                                                                            {"M", 1e6},
                                                                            {"G", 1e9},
                                                                            {"T", 1e12},
                                                                            {"Ki", 1024.0},
                                                                            {"ki", 1024.0},
                                                                            {"Mi", 1048576.0},
                                                                            {"Gi", 1073741824.0},
                                                                            {"Ti", 1099511627776.0}}};
    for (const auto& [name, factor] : suffixes) {
        if (suffix == name) return factor;
    }
    return 0;
}

} // namespace

result<std::uint64_t> parse_size(std::string_view text) {
    // Plain digits stay exact to the last of 64 bits.
    std::uint64_t exact = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (error == std::errc::result_out_of_range) {
        return fail(failure_reason::bad_parameter, "'" + std::string(text) + "' is too large");
    }
    if (error == std::errc{} && end == text.data() + text.size()) return exact;

    std::string_view rest = text;
    const auto number = take_number(rest);
    const double factor = number ? multiplier(rest) : 0;
    if (factor == 0) return not_a("a size", text, size_examples);
    const double value = *number * factor;
    if (value >= 0x1p63) return fail(failure_reason::bad_parameter, "'" + std::string(text) + "' is too large");
    // 1.005 is no binary number, so 1.005M is whole only up to the rounding of the two factors.
    const double whole = std::round(value);
    if (std::abs(value - whole) > 2 * std::numeric_limits<double>::epsilon() * whole) {
        return not_a("a whole number", text, size_examples);
    }
    return static_cast<std::uint64_t>(whole);
}

result<double> parse_rate(std::string_view text) {
    std::string_view rest = text;
    const auto number = take_number(rest);
    if (!number) return not_a("a number between 0 and 1", text, rate_examples);
    double rate = *number;
    if (rest == "%") {
        rate /= 100;
    } else if (rest.starts_with('/')) {
        rest.remove_prefix(1);
        const auto below = take_number(rest);
        if (!below || !rest.empty() || *below == 0) return not_a("a number between 0 and 1", text, rate_examples);
        rate /= *below;
    } else if (!rest.empty()) {
        return not_a("a number between 0 and 1", text, rate_examples);
    }
    if (rate > 1) return not_a("a number between 0 and 1", text, rate_examples);
    return rate;
}

result<std::uint64_t> parse_millionths(std::string_view text) {
    std::string_view rest = text;
    auto number = take_number(rest);
    if (number && rest == "%") {
        *number /= 100;
        rest = {};
    }
    if (!number || !rest.empty()) return not_a("a number", text, "0.2, 20% or 30");
    if (*number >= 1e12) return fail(failure_reason::bad_parameter, "'" + std::string(text) + "' is too large");
    return static_cast<std::uint64_t>(std::llround(*number * field_million));
}

result<double> parse_number(std::string_view text) {
    std::string_view rest = text;
    const auto number = take_number(rest);
    if (!number || !rest.empty()) return not_a("a number", text, "2 or 0.5");
    return *number;
}

} // namespace everbloom
