// Numbers for people: thousands separators and small probabilities. Not for JSON, CSV or lines that programs parse.
#pragma once

#include "output/wording.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

/// 21290 -> "21,290"
[[nodiscard]] inline std::string separated(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t digits = 3, end = text.size(); digits < end; digits += 3) text.insert(end - digits, ",");
    return text;
}

/// "1 key", "21,290 keys"
[[nodiscard]] inline std::string separated(std::uint64_t count, std::string_view noun) {
    return separated(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// 0.001 -> "0.100 %"; "< 1e-9" for everything that no measurement can tell from it.
[[nodiscard]] inline std::string fpr_text(double fpr) {
    constexpr double smallest = 1e-9;
    return fpr > 0 && fpr < smallest ? "< 1e-9" : rate_text(fpr);
}

} // namespace everbloom::cli
