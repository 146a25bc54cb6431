// json_field: a value inside a line of JSON, by its path: .host, .request.host, .answers[0].name
//
// The line is read once, from left to right, without building a document; reading stops at the value. A string is its text, a number is as
// it is written, true and false are words. null, objects and arrays are no keys.
#pragma once

#include "keys/text_arena.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace everbloom::cli {

class json_path {
public:
    /// The flag's value; quotes allow names with dots: .["a.b"].c
    [[nodiscard]] static result<json_path> parse(const std::string& text);

    using step = std::variant<std::string, std::size_t>; // a member, or an element
    [[nodiscard]] const std::vector<step>& steps() const noexcept { return steps_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::vector<step> steps_;
    std::string text_;
};

enum class json_fault { none, not_json, no_value };

struct json_value {
    std::string_view text; // in the arena
    json_fault fault = json_fault::none;
};

[[nodiscard]] json_value find_json_field(std::string_view line, const json_path& path, text_arena& arena);

} // namespace everbloom::cli
