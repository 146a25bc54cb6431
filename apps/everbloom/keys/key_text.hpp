// key_text: keys in messages and in JSON, safe for terminals and parsers whatever their bytes.
#pragma once

#include "output/json_output.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

/// For a message: control characters and bytes that are not UTF-8 as \x.., long keys shortened.
[[nodiscard]] std::string printable(std::string_view key);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// {"key": "..."}, or {"key_hex": "..."} if the bytes are not UTF-8.
[[nodiscard]] json key_json(std::string_view key);

} // namespace everbloom::cli
