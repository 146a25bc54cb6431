#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <cstdint>

namespace everbloom {
namespace {

constexpr std::size_t longest_shown = 60;

/// Length of the UTF-8 character at the front of `text`; 0 if there is none. [RFC 3629: no overlong forms, no surrogates]
std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
        return i < text.size() && byte(i) >= least && byte(i) <= most;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
    if (first == 0xe0) return follows(1, 0xa0) && follows(2) ? 3 : 0;
    if (first == 0xed) return follows(1, 0x80, 0x9f) && follows(2) ? 3 : 0;
    if (first >= 0xe1 && first <= 0xef) return follows(1) && follows(2) ? 3 : 0;
    if (first == 0xf0) return follows(1, 0x90) && follows(2) && follows(3) ? 4 : 0;
    if (first >= 0xf1 && first <= 0xf3) return follows(1) && follows(2) && follows(3) ? 4 : 0;
    if (first == 0xf4) return follows(1, 0x80, 0x8f) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

} // namespace

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string printable(std::string_view key) {
    std::string shown;
    while (!key.empty() && shown.size() < longest_shown) {
        const std::size_t length = utf8_length(key);
        const auto byte = static_cast<std::uint8_t>(key[0]);
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            shown += "\\x";
            append_hex(shown, byte);
            key.remove_prefix(1);
        } else {
            shown += key.substr(0, length);
            key.remove_prefix(length);
        }
    }
    if (!key.empty()) shown += "... (" + std::to_string(key.size()) + " bytes more)";
    return shown;
}

} // namespace everbloom
