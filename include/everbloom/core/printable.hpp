// printable: keys in messages, safe for terminals whatever their bytes.
#pragma once

#include <string>
#include <string_view>

namespace everbloom {

/// Control characters and bytes that are not UTF-8 as \x.., long keys shortened.
[[nodiscard]] std::string printable(std::string_view key);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

} // namespace everbloom
