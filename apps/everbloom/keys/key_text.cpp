#include "keys/key_text.hpp"

#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <string>

namespace everbloom::cli {

json key_json(std::string_view key) {
    if (is_utf8(key)) return {{"key", key}};
    std::string digits;
    for (const char byte : key) append_hex(digits, static_cast<unsigned char>(byte));
    return {{"key_hex", digits}};
}

} // namespace everbloom::cli
