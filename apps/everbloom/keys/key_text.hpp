// key_text: keys in JSON, whatever their bytes.
#pragma once

#include "output/json_output.hpp"

#include <string_view>

namespace everbloom::cli {

/// {"key": "..."}, or {"key_hex": "..."} if the bytes are not UTF-8.
[[nodiscard]] json key_json(std::string_view key);
/// The same for the line of a key: {"line":...}.
[[nodiscard]] json line_json(std::string_view line);

} // namespace everbloom::cli
