// json_writer: a JSON document as text, written from its beginning to its end.
//
//     json_writer out;
//     out.open('{');
//     out.member("kind", "bloom");
//     out.name("values").open('[');
//     ...
//     out.close(']');
//     out.close('}');
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace everbloom::capi {

class json_writer {
public:
    /// '{' or '['.
    json_writer& open(char bracket) {
        separate();
        text_ += bracket;
        first_ = true;
        return *this;
    }
    json_writer& close(char bracket) {
        text_ += bracket;
        first_ = false;
        return *this;
    }
    /// Of the member whose value comes next.
    json_writer& name(std::string_view of_member) {
        separate();
        quote(of_member);
        text_ += ": ";
        first_ = true;
        return *this;
    }

    json_writer& value(std::string_view words) {
        separate();
        quote(words);
        return *this;
    }
    json_writer& value(const char* words) { return value(std::string_view(words)); }
    json_writer& value(std::same_as<bool> auto truth) { return raw(truth ? "true" : "false"); }
    template <std::unsigned_integral Number>
        requires(!std::same_as<Number, bool>)
    json_writer& value(Number number) {
        return raw(std::to_string(number));
    }
    /// Numbers that JSON does not have are null.
    json_writer& value(double number) {
        if (!std::isfinite(number)) return null();
        char digits[32]; // the shortest text that reads back as the same number has 24 at most
#if defined(__cpp_lib_to_chars)
        const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
#else // libc++ 14 has none for these
        char* end = digits;
        for (int precision = 15; precision <= 17; ++precision) {
            end = digits + std::snprintf(digits, sizeof digits, "%.*g", precision, number);
            if (std::strtod(digits, nullptr) == number) break;
        }
        std::replace(digits, end, ',', '.'); // in some locales
#endif
        return raw({digits, static_cast<std::size_t>(end - digits)});
    }
    template <class Value>
    json_writer& value(const std::optional<Value>& given) {
        return given ? value(*given) : null();
    }
    json_writer& null() { return raw("null"); }

    template <class Value>
    json_writer& member(std::string_view its_name, const Value& its_value) {
        return name(its_name).value(its_value);
    }
    template <class Range>
    json_writer& list(std::string_view its_name, const Range& values) {
        name(its_name).open('[');
        for (const auto& one : values) value(one);
        return close(']');
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    json_writer& raw(std::string_view token) {
        separate();
        text_ += token;
        return *this;
    }
    void separate() {
        if (!first_) text_ += ", ";
        first_ = false;
    }
    void quote(std::string_view words) {
        constexpr std::string_view hex = "0123456789abcdef";
        text_ += '"';
        for (const char letter : words) {
            const auto byte = static_cast<unsigned char>(letter);
            if (letter == '"' || letter == '\\') {
                text_ += '\\';
                text_ += letter;
            } else if (byte < 0x20) {
                text_ += "\\u00";
                text_ += hex[byte >> 4];
                text_ += hex[byte & 15];
            } else {
                text_ += letter;
            }
        }
        text_ += '"';
    }

    std::string text_;
    bool first_ = true; // nothing stands before the next value that a comma would separate it from
};

} // namespace everbloom::capi
