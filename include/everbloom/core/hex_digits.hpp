// hex_digits: hexadecimal digits of keys, packet headers and bytes in messages.
#pragma once

#include <string>
#include <string_view>

namespace everbloom {

/// The value of a digit in either case, or -1.
[[nodiscard]] constexpr int hex_value(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/// The two digits of a byte, in lower case, at the end of `text`.
inline void append_hex(std::string& text, unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15];
}

} // namespace everbloom
