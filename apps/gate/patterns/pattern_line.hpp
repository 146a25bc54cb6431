// pattern_line: one line of a pattern file.
//
//     deadbeef 1                     1 to 64 words of up to 8 hexadecimal digits, found at word boundaries of a sender's data
//     "GNUTELLA CONNECT\r\n"         1 to 256 bytes as text, found at any byte; escapes as in C: \\ \" \n \r \t \0 \xHH
//     text:GNUTELLA CONNECT          the same without quotes and escapes, to the end of the line
//     hex:47 4e ?? 5?                the same in hexadecimal digits; ? stands for any digit
//     hex:474e0055/ffff00f0          the same with a mask: bits that are 0 in it may be anything
//
// # starts a comment, except in quotes and behind text:.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// Either words or bytes; a blank line has neither.
struct pattern_line {
    std::vector<std::uint32_t> words;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint8_t> mask; // of the bytes
};

/// Replaces the contents of `into`.
[[nodiscard]] result<void> parse_pattern_line(std::string_view line, pattern_line& into);

} // namespace everbloom::cli
