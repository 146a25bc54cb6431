#include "commands/uniq/time_window.hpp"

#include "frame/flag_values.hpp"

#include <array>
#include <charconv>
#include <ctime>

namespace everbloom::cli {
namespace {

/// Seconds in a unit; 0 if it is none. Small letters only: M is a million.
constexpr std::uint64_t seconds_in(char unit) noexcept {
    switch (unit) {
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3600;
    case 'd': return 86400;
    default: return 0;
    }
}

/// "+0200", "-07:00" or "Z", with blanks before it. False if something else is there.
bool parse_zone(std::string_view text, long& seconds) {
    seconds = 0;
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.ends_with(']')) text.remove_suffix(1);
    if (text.starts_with('.') || text.starts_with(',')) { // parts of a second
        text.remove_prefix(1);
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
    }
    if (text.empty() || text == "Z" || text == "z") return true;
    const bool is_west = text.front() == '-';
    if (!is_west && text.front() != '+') return false;
    std::string digits;
    for (const char byte : text.substr(1)) {
        if (byte != ':') digits += byte;
    }
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.size() != 4 || value > 2359)
        return false;
    seconds = (value / 100 * 3600L + value % 100 * 60L) * (is_west ? -1 : 1);
    return true;
}

} // namespace

result<window_size> window_size::parse(const std::string& text) {
    const std::uint64_t unit = text.empty() ? 0 : seconds_in(text.back());
    const auto number = size_of_flag("--window", unit == 0 ? text : text.substr(0, text.size() - 1));
    if (!number) {
        return fail(failure_reason::bad_parameter,
                    "--window: '" + text +
                        "' is neither a number of keys, such as 10M, nor a time: 90s, 15m, 1h or 7d");
    }
    constexpr std::uint64_t longest = std::uint64_t{1} << 40; // seconds
    if (*number == 0)
        return fail(failure_reason::bad_parameter, "--window: '" + text + "' is too small; it must be at least 1");
    if (unit == 0) return window_size{*number, 0};
    if (*number > longest / unit) return fail(failure_reason::bad_parameter, "--window: '" + text + "' is too long");
    return window_size{0, *number * unit};
}

std::optional<std::uint64_t> parse_time(std::string_view text) {
    if (text.starts_with('[')) text.remove_prefix(1);
    std::uint64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const std::string_view behind = text.substr(static_cast<std::size_t>(end - text.data()));
    long zone = 0;
    if (error == std::errc{} && (behind.empty() || (behind.front() == '.' && parse_zone(behind, zone) && zone == 0))) {
        return seconds;
    }
    const std::string terminated(text.substr(0, 64));
    for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d/%b/%Y:%H:%M:%S"}) {
        std::tm parts{};
        const char* const rest = ::strptime(terminated.c_str(), form, &parts);
        if (rest == nullptr || !parse_zone(rest, zone)) continue;
        const std::time_t made = ::timegm(&parts) - zone;
        if (made >= 0) return static_cast<std::uint64_t>(made);
    }
    return std::nullopt;
}

std::optional<digest> key_window::take_expired(std::uint64_t now) {
    latest_ = std::max(latest_, now);
    if (size_.seconds == 0 || entries_.empty() || entries_.front().time + size_.seconds > latest_) return std::nullopt;
    const digest key = entries_.front().key;
    entries_.pop_front();
    return key;
}

std::optional<digest> key_window::take_oldest() {
    if (size_.keys == 0 || entries_.size() < size_.keys) return std::nullopt;
    const digest key = entries_.front().key;
    entries_.pop_front();
    return key;
}

void key_window::add(std::uint64_t now, const digest& key) {
    latest_ = std::max(latest_, now);
    entries_.push_back({latest_, key});
}

} // namespace everbloom::cli
