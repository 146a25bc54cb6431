// csv_record: where a record of a CSV file ends. A quoted field may have line ends in it [RFC 4180].
//
//   name,note                  three records of one, two and one lines
//   anna,"first line
//   second line, with ""quotes"""
//   bert,
//
// A stray quote must not swallow the file: a record has at most 64 KiB, and behind its closing quote a field ends. Otherwise the line alone is the
// record, and its quote is what is wrong with it. A comment is one line.
#pragma once

#include <cstddef>
#include <string_view>

namespace everbloom::cli {

inline constexpr std::size_t most_record_bytes = std::size_t{1} << 16;

/// How much of a text is its first record.
struct csv_record {
    std::size_t bytes = 0; // without the line end
    std::size_t lines = 1; // one more than the line ends in it
    bool is_whole = true;  // false: the text may go on in a way that makes it longer
};

[[nodiscard]] csv_record first_record(std::string_view text, char delimiter) noexcept;

/// How much of a text are whole records, of `most_lines` lines at most (but the first one, however many it has).
[[nodiscard]] std::size_t whole_records(std::string_view text, char delimiter, std::size_t most_lines) noexcept;

} // namespace everbloom::cli
