#include <everbloom/runtime/geometry_text.hpp>

namespace everbloom {
namespace {

/// With as many decimals as it needs.
std::string with_point(std::uint64_t whole, std::string decimals) {
    decimals.erase(decimals.find_last_not_of('0') + 1);
    return std::to_string(whole) + (decimals.empty() ? "" : "." + decimals);
}

} // namespace

std::string number_text(std::uint64_t value, field_form form) {
    if (form == field_form::whole) return std::to_string(value);
    static_assert(field_million == 1'000'000);
    // Below a ten-thousandth 5e-05 is easier to read than 0.00005.
    if (value != 0 && value < 10) return std::to_string(value) + "e-06";
    if (value != 0 && value < 100) return with_point(value / 10, std::to_string(value % 10)) + "e-05";
    constexpr std::uint64_t million = 1'000'000;
    return with_point(value / million, std::to_string(million + value % million).substr(1)); // with leading zeros
}

std::string value_text(const geometry_value& one) {
    return one.word.empty() ? number_text(one.value, one.form) : std::string(one.word);
}

} // namespace everbloom
