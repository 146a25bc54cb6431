// key_text: keys in JSON, whatever their bytes.
#pragma once

#include "output/json_output.hpp"

#include <string_view>

namespace everbloom::cli {

/// {"key": "..."}, or {"key_hex": "..."} if the bytes are not UTF-8.
[[nodiscard]] json key_json(std::string_view key);

} // namespace everbloom::cli
