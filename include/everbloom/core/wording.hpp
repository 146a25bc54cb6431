// wording: numbers in sentences: 1.00 %, 21,290 keys, 4.7 KiB. The same in every locale; for people, not for programs to parse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom {

/// 0.01 -> "1.00 %": three significant digits; below 1e-6 as "1.25e-05 %", below 1e-9 as "< 1e-9".
[[nodiscard]] std::string rate_text(double rate);

/// 21290 -> "21,290"
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1 key", "2 keys", "21,290 keys"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// "about 21,290 keys": a number of keys that was estimated from the cells. Cells that are all occupied give no estimate.
[[nodiscard]] std::string estimated_keys(double keys);

/// 4793 -> "4.7 KiB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

} // namespace everbloom
