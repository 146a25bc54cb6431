#include "keys/fields.hpp"

#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace everbloom::cli {
namespace {

constexpr bool separates(char byte) noexcept { return byte == ' ' || byte == '\t'; }

/// More is a typing error: no line has as many.
constexpr std::size_t most_fields = 1'000'000;

} // namespace

result<delimiter> delimiter::parse(const std::string& text) {
    if (text == "tab" || text == "\\t" || text == "\t") return delimiter{'\t', false, false};
    if (text == "spaces" || text == "space" || text == " ") return delimiter{};
    if (text == "comma") return delimiter{',', false, true};
    if (text.size() == 1 && text[0] != '\n' && text[0] != '"') {
        return delimiter{text[0], false, text[0] == ',' || text[0] == ';'};
    }
    return fail(failure_reason::bad_parameter,
                "--delimiter: '" + printable(text) +
                    "' is not one character; write tab, spaces, comma, or one such as |");
}

result<std::vector<std::size_t>> parse_fields(std::string_view flag, const std::string& text) {
    std::vector<std::size_t> made;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        std::size_t number = 0;
        const auto [stop, error] = std::from_chars(text.data() + from, text.data() + end, number);
        if (error != std::errc{} || stop != text.data() + end || number == 0 || number > most_fields) {
            return fail(failure_reason::bad_parameter,
                        std::string(flag) + ": '" + printable(text) +
                            "' is not a list of field numbers; the first field is 1, as in " + std::string(flag) +
                            " 3 or " + std::string(flag) + " 1,7");
        }
        made.push_back(number);
        from = end + 1;
    }
    return made;
}

bool field_reader::next_between_blanks() noexcept {
    const char* from = rest_.data();
    const char* const end = from + rest_.size();
    while (from != end && separates(*from)) ++from;
    if (from == end) return false;
    const char* to = from + 1;
    while (to != end && !separates(*to)) ++to;
    field_ = {from, static_cast<std::size_t>(to - from)};
    rest_ = {to, static_cast<std::size_t>(end - to)};
    return true;
}

bool field_reader::next_quoted(text_arena& arena) {
    std::size_t close = 1;
    bool has_quotes = false;
    for (;; close += 2, has_quotes = true) {
        close = rest_.find('"', close);
        if (close == std::string_view::npos) {
            fault_ = field_fault::unclosed_quote;
            return false;
        }
        if (close + 1 >= rest_.size() || rest_[close + 1] != '"') break;
    }
    // Bytes between the quote and the delimiter are part of the field, as spreadsheets read them.
    const std::size_t stop = std::min(rest_.find(how_.byte, close + 1), rest_.size());
    const std::string_view inside = rest_.substr(1, close - 1);
    const std::string_view behind = rest_.substr(close + 1, stop - close - 1);
    field_ = inside;
    if (has_quotes || !behind.empty()) {
        char* const made = arena.room(inside.size() + behind.size());
        char* into = made;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            *into++ = inside[i];
            if (inside[i] == '"') ++i; // the second of two
        }
        into = std::copy(behind.begin(), behind.end(), into);
        field_ = {made, static_cast<std::size_t>(into - made)};
    }
    ended_ = stop == rest_.size();
    rest_.remove_prefix(ended_ ? stop : stop + 1);
    return true;
}

bool field_reader::next(text_arena& arena) {
    if (how_.is_blanks) return next_between_blanks();
    if (ended_) return false;
    if (how_.is_quoted && rest_.starts_with('"')) return next_quoted(arena);
    const auto* to =
        static_cast<const char*>(rest_.empty() ? nullptr : std::memchr(rest_.data(), how_.byte, rest_.size()));
    ended_ = to == nullptr;
    field_ = ended_ ? rest_ : rest_.substr(0, static_cast<std::size_t>(to - rest_.data()));
    rest_.remove_prefix(ended_ ? rest_.size() : field_.size() + 1);
    return true;
}

chosen_fields choose_fields(std::string_view line, const delimiter& how, const std::vector<std::size_t>& wanted,
                            text_arena& arena) {
    if (wanted.size() == 1) {
        field_reader reader(line, how);
        for (std::size_t left = wanted.front(); left != 0; --left) {
            if (!reader.next(arena)) {
                return {{}, reader.fault() == field_fault::none ? field_fault::missing : reader.fault()};
            }
        }
        return {reader.field()};
    }
    const std::size_t last = *std::max_element(wanted.begin(), wanted.end());
    std::vector<std::string_view> fields;
    fields.reserve(last);
    for (field_reader reader(line, how); fields.size() < last; fields.push_back(reader.field())) {
        if (!reader.next(arena))
            return {{}, reader.fault() == field_fault::none ? field_fault::missing : reader.fault()};
    }
    std::size_t bytes = wanted.size() - 1;
    for (const std::size_t one : wanted) bytes += fields[one - 1].size();
    char* const made = arena.room(bytes);
    char* into = made;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i != 0) *into++ = how.byte;
        const std::string_view field = fields[wanted[i] - 1];
        into = std::copy(field.begin(), field.end(), into);
    }
    return {{made, bytes}};
}

} // namespace everbloom::cli
