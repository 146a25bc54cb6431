// hex_digits: hexadecimal digits, in keys and in packet headers.
#pragma once

namespace everbloom::cli {

/// The value of a digit in either case, or -1.
[[nodiscard]] constexpr int hex_value(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

} // namespace everbloom::cli
