#include "keys/key_text.hpp"

#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <string>

namespace everbloom::cli {

namespace {

json text_json(const std::string& name, std::string_view text) {
    if (is_utf8(text)) return {{name, text}};
    std::string digits;
    for (const char byte : text) append_hex(digits, static_cast<unsigned char>(byte));
    return {{name + "_hex", digits}};
}

} // namespace

json key_json(std::string_view key) { return text_json("key", key); }
json line_json(std::string_view line) { return text_json("line", line); }

} // namespace everbloom::cli
