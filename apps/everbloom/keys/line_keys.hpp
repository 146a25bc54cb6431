// line_keys: the keys inside a line: of a published list (list_format.hpp), a log or a table.
//
// Without rules a line is a key, byte for byte, and none of this is used. With rules a line has one key, several (names in a hosts file) or
// none: a comment, an empty line, a line that a --regex does not match. A line that should have a key and has none is a fault.
#pragma once

#include "keys/fields.hpp"
#include "keys/json_field.hpp"
#include "keys/list_format.hpp"
#include "keys/regex_key.hpp"
#include "keys/text_arena.hpp"

#include <everbloom/core/failure.hpp>
#include <everbloom/format/key_type.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct line_rules {
    list_format format = list_format::raw;
    std::vector<std::size_t> fields = {}; // of the key; empty: not by fields
    delimiter split;
    std::optional<json_path> json = {};
    std::optional<regex_key> regex = {};
    bool lower = false;  // keys in lower case (ASCII)
    bool header = false; // the first line of a file has no key
    key_type type = key_type::text;
    char separator = '\n';
};

enum class line_fault { none, missing_field, unclosed_quote, not_json, no_value, not_hosts, not_domain, binary };

class line_keys {
public:
    /// All must outlive this. `format` is the one of the file, if the rules leave it open.
    line_keys(const line_rules& rules, list_format format, text_arena& arena)
        : rules_(rules), format_(rules.format == list_format::automatic ? format : rules.format), arena_(arena) {}

    /// Replaces `keys` by those of the line: parts of it, or in the arena.
    [[nodiscard]] line_fault read(std::string_view line, std::vector<std::string_view>& keys);

    /// What is between the fields of a file whose quoted fields may have line ends.
    [[nodiscard]] std::optional<char> csv_delimiter() const noexcept {
        if (format_ != list_format::csv || rules_.separator != '\n') return std::nullopt;
        if (rules_.split.is_blanks) return ',';
        return rules_.split.is_quoted ? std::optional(rules_.split.byte) : std::nullopt;
    }

    /// Rules of an adblock list that do not block a domain, and were ignored.
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

private:
    [[nodiscard]] line_fault read_list(std::string_view line, std::vector<std::string_view>& keys);
    [[nodiscard]] line_fault read_log(std::string_view line, std::vector<std::string_view>& keys);
    /// Lower case, and ASCII for domains.
    [[nodiscard]] line_fault add(std::string_view key, std::vector<std::string_view>& keys);

    const line_rules& rules_;
    list_format format_;
    text_arena& arena_;
    std::uint64_t left_out_ = 0;
};

/// What is wrong with a line, for a message that names its place.
[[nodiscard]] failure describe(line_fault fault, std::string_view line, const line_rules& rules);

} // namespace everbloom::cli
