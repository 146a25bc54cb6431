#include <everbloom/runtime/geometry_text.hpp>

#include <array>
#include <charconv>

namespace everbloom {

std::string number_text(std::uint64_t value, field_form form) {
    if (form == field_form::whole) return std::to_string(value);
    const double number = static_cast<double>(value) / field_million;
    constexpr double least_in_digits = 1e-4; // below it, 5e-05 is easier to read than 0.00005
    const bool is_tiny = value != 0 && number < least_in_digits;
    std::array<char, 64> text; // at most 2^64 / 10^6
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                   is_tiny ? std::chars_format::scientific : std::chars_format::fixed)
                         .ptr;
    return {text.data(), end};
}

std::string value_text(const geometry_value& one) {
    return one.word.empty() ? number_text(one.value, one.form) : std::string(one.word);
}

} // namespace everbloom
