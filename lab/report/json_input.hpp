// JSON that somebody sent: read within bounds, and asked politely, for a member may be missing or be something else.
//
// A document in memory is many times as large as its text, so its values are counted before it is built: a few bytes of text for
// each would otherwise make gigabytes (docs/promises.md, P5).
#pragma once

#include <everbloom/core/result.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli::html {

/// Members in alphabetical order: found fast however many somebody sent.
using document = nlohmann::json;

inline constexpr std::uint64_t most_json_bytes = 16u << 20;
inline constexpr std::uint64_t most_json_values = 200'000;
inline constexpr std::uint64_t most_json_depth = 32;

[[nodiscard]] result<document> read_json_file(const std::string& path);

/// The member if `from` is an object that has it, otherwise null.
[[nodiscard]] const document& member_of(const document& from, std::string_view name);
[[nodiscard]] std::optional<double> number_of(const document& from, std::string_view name);
/// Empty if there is no such text.
[[nodiscard]] std::string text_of(const document& from, std::string_view name);
/// Empty if there is no such list.
[[nodiscard]] const std::vector<document>& list_of(const document& from, std::string_view name);

} // namespace everbloom::cli::html
