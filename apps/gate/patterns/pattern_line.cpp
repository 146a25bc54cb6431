#include "gate/patterns/pattern_line.hpp"

#include "gate/patterns/byte_pattern_list.hpp"
#include "gate/rolling_hash.hpp"

#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace everbloom::cli {
namespace {

constexpr std::string_view pattern_blanks = " \t\r\f\v";

std::string_view without_blanks(std::string_view text) noexcept {
    const std::size_t from = text.find_first_not_of(pattern_blanks);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(pattern_blanks) + 1 - from);
}

std::string_view before_comment(std::string_view text) noexcept {
    return without_blanks(text.substr(0, text.find('#')));
}

unexpected<failure> malformed_pattern(std::string sentence) {
    return fail(failure_reason::bad_parameter, std::move(sentence));
}

result<void> parse_words(std::string_view text, pattern_line& into) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(pattern_blanks), text.size());
        std::string_view digits = text.substr(0, end);
        const std::string_view word = digits;
        if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
        std::uint32_t value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.empty() || digits.size() > 8 || error != std::errc{} || stop != digits.data() + digits.size()) {
            return malformed_pattern("'" + printable(word) +
                                     "' is not a pattern word; expected 1 to 8 hexadecimal digits, or a byte pattern: "
                                     "\"text\", text:... or hex:...");
        }
        if (into.words.size() == most_pattern_words) {
            return malformed_pattern("pattern longer than " + std::to_string(most_pattern_words) +
                                     " words; split it into shorter patterns");
        }
        into.words.push_back(value);
        text.remove_prefix(std::min(text.find_first_not_of(pattern_blanks, end), text.size()));
    }
    return {};
}

/// Removes and returns the byte behind a backslash; negative if there is no such escape.
int take_escape(std::string_view& text) noexcept {
    if (text.empty()) return -1;
    const char letter = text.front();
    text.remove_prefix(1);
    switch (letter) {
    case '\\':
    case '"': return letter;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '0': return 0;
    case 'x': break;
    default: return -1;
    }
    if (text.size() < 2 || hex_value(text[0]) < 0 || hex_value(text[1]) < 0) return -1;
    const int value = 16 * hex_value(text[0]) + hex_value(text[1]);
    text.remove_prefix(2);
    return value;
}

/// `text` begins behind the opening quote.
result<void> parse_quoted(std::string_view text, pattern_line& into) {
    for (;;) {
        if (text.empty()) return malformed_pattern("the closing quote (\") is missing");
        const char letter = text.front();
        text.remove_prefix(1);
        if (letter == '"') break;
        int value = static_cast<unsigned char>(letter);
        if (letter == '\\') {
            value = take_escape(text);
            if (value < 0) return malformed_pattern(R"(unknown escape; known are \\ \" \n \r \t \0 and \xHH)");
        }
        into.bytes.push_back(static_cast<std::uint8_t>(value));
    }
    if (const std::string_view rest = before_comment(text); !rest.empty())
        return malformed_pattern("'" + printable(rest) + "' behind the closing quote; expected one pattern per line");
    return {};
}

/// Appends the bytes of pairs of digits; blanks may stand between pairs. `?` stands for any digit;
/// without a mask to fill, it is not.
result<void> parse_digits(std::string_view text, std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>* mask) {
    const bool with_any = mask != nullptr;
    const auto value_of = [&](char one) { return with_any && one == '?' ? 0 : hex_value(one); };
    for (std::size_t at = 0; at < text.size(); at += 2) {
        at = std::min(text.find_first_not_of(pattern_blanks, at), text.size());
        if (at == text.size()) break;
        const std::string_view pair = text.substr(at, 2);
        if (pair.size() < 2 || value_of(pair[0]) < 0 || value_of(pair[1]) < 0) {
            return malformed_pattern("'" + printable(pair) + "' is not two hexadecimal digits" +
                                     (with_any ? " (or ? for any digit)" : ""));
        }
        bytes.push_back(static_cast<std::uint8_t>(16 * value_of(pair[0]) + value_of(pair[1])));
        if (mask != nullptr)
            mask->push_back(static_cast<std::uint8_t>((pair[0] == '?' ? 0U : 0xF0U) | (pair[1] == '?' ? 0U : 0x0FU)));
    }
    return {};
}

result<void> parse_hex(std::string_view text, pattern_line& into) {
    const std::size_t slash = text.find('/');
    const bool has_mask = slash != std::string_view::npos;
    if (has_mask && text.substr(0, slash).find('?') != std::string_view::npos)
        return malformed_pattern("a pattern has either ? or a /mask, not both");
    if (auto parsed = parse_digits(text.substr(0, slash), into.bytes, has_mask ? nullptr : &into.mask); !parsed)
        return parsed;
    if (!has_mask) return {};
    if (auto parsed = parse_digits(text.substr(slash + 1), into.mask, nullptr); !parsed) return parsed;
    if (into.mask.size() == into.bytes.size()) return {};
    return malformed_pattern("the mask has " + std::to_string(into.mask.size()) + " bytes, the pattern " +
                             std::to_string(into.bytes.size()) + "; both must have the same length");
}

result<void> check_bytes(pattern_line& into) {
    if (into.bytes.empty()) return malformed_pattern("the pattern is empty");
    if (into.bytes.size() > most_pattern_bytes) {
        return malformed_pattern("pattern of " + std::to_string(into.bytes.size()) + " bytes; the limit is " +
                                 std::to_string(most_pattern_bytes) + ": use its most characteristic part");
    }
    if (into.mask.empty()) into.mask.assign(into.bytes.size(), whole_byte);
    if (std::ranges::find(into.mask, whole_byte) == into.mask.end())
        return malformed_pattern("no byte of the pattern is fixed; at least one must be without a mask");
    return {};
}

} // namespace

result<void> parse_pattern_line(std::string_view line, pattern_line& into) {
    constexpr std::string_view as_text = "text:";
    constexpr std::string_view as_hex = "hex:";
    into.words.clear();
    into.bytes.clear();
    into.mask.clear();
    line = without_blanks(line);
    result<void> parsed;
    if (line.starts_with('"')) {
        parsed = parse_quoted(line.substr(1), into);
    } else if (line.starts_with(as_text)) {
        const std::string_view text = without_blanks(line.substr(as_text.size()));
        into.bytes.assign(text.begin(), text.end());
    } else if (line.starts_with(as_hex)) {
        parsed = parse_hex(before_comment(line.substr(as_hex.size())), into);
    } else {
        return parse_words(before_comment(line), into);
    }
    if (!parsed) return parsed;
    return check_bytes(into);
}

} // namespace everbloom::cli
