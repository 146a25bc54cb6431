// fields: splits a line into fields, as awk, cut and spreadsheets do.
//
//   spaces     runs of blanks and tabs separate; blanks at both ends are ignored (awk)
//   a byte     each one separates, fields may be empty (cut); tab, | or :
//   , and ;    the same, and a field may be quoted: "a, b" is one field, "" in it is a quote [RFC 4180]. In logs a quoted field ends
//              on its line; in CSV files it may go on (csv_record.hpp)
//
// Several fields make one key: they are joined by the delimiter, as `cut -f 2,4` prints them.
#pragma once

#include "keys/text_arena.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct delimiter {
    char byte = ' ';
    bool is_blanks = true;
    bool is_quoted = false;

    /// "tab", "spaces", "comma", or one character.
    [[nodiscard]] static result<delimiter> parse(const std::string& text);
};

/// "3" or "1,7": numbers from 1 on. `flag` is named in failures.
[[nodiscard]] result<std::vector<std::size_t>> parse_fields(std::string_view flag, const std::string& text);

enum class field_fault { none, missing, unclosed_quote };

/// A field of a line. A quoted field with quotes in it is put into the arena.
class field_reader {
public:
    field_reader(std::string_view line, const delimiter& how) noexcept : rest_(line), how_(how) {}

    /// The next field; false at the end of the line, and at a fault.
    [[nodiscard]] bool next(text_arena& arena);
    [[nodiscard]] std::string_view field() const noexcept { return field_; }
    [[nodiscard]] field_fault fault() const noexcept { return fault_; }

private:
    [[nodiscard]] bool next_between_blanks() noexcept;
    [[nodiscard]] bool next_quoted(text_arena& arena);

    std::string_view rest_;
    const delimiter& how_;
    std::string_view field_;
    field_fault fault_ = field_fault::none;
    bool ended_ = false;
};

/// The fields with these numbers, joined; one field is returned as it is in the line.
struct chosen_fields {
    std::string_view text;
    field_fault fault = field_fault::none;
};
[[nodiscard]] chosen_fields choose_fields(std::string_view line, const delimiter& how,
                                          const std::vector<std::size_t>& wanted, text_arena& arena);

} // namespace everbloom::cli
