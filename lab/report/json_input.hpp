// Untrusted JSON: read within limits, with accessors for members that may be missing or of another type.
//
// A document in memory is many times larger than its text, so its values are counted before it is built (docs/promises.md, P5).
#pragma once

#include <everbloom/core/result.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli::html {

/// Members in alphabetical order: lookup is fast for any number of members.
using document = nlohmann::json;

inline constexpr std::uint64_t most_json_bytes = 16u << 20;
inline constexpr std::uint64_t most_json_values = 200'000;
inline constexpr std::uint64_t most_json_depth = 32;

[[nodiscard]] result<document> read_json_file(const std::string& path);

/// The member if `from` is an object that has it, else null.
[[nodiscard]] const document& member_of(const document& from, std::string_view name);
[[nodiscard]] std::optional<double> number_of(const document& from, std::string_view name);
/// Empty if there is no such text.
[[nodiscard]] std::string text_of(const document& from, std::string_view name);
/// Empty if there is no such list.
[[nodiscard]] const std::vector<document>& list_of(const document& from, std::string_view name);

} // namespace everbloom::cli::html
