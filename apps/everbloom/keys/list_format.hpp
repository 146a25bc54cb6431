// list_format: lists as they are published, line by line.
//
//   raw       a line is a key, byte for byte: what is read without --format
//   lines     one key per line
//   hosts     an address, then one name or several:  0.0.0.0 ads.example
//   adblock   rules that block a whole domain:       ||ads.example^
//   csv       fields between commas, quoted if need be; --field says which one is the key
//   cidr      addresses and networks, what follows them is ignored
//   auto      one of these, by the first lines of each file
//
// In all but raw, blanks and a carriage return at the ends of a line, empty lines and comments are left out.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace everbloom::cli {

enum class list_format { raw, lines, hosts, adblock, csv, cidr, automatic };

/// By the names that users write; raw has none.
inline constexpr std::array<std::pair<std::string_view, list_format>, 6> list_formats{
    {{"lines", list_format::lines},
     {"hosts", list_format::hosts},
     {"adblock", list_format::adblock},
     {"csv", list_format::csv},
     {"cidr", list_format::cidr},
     {"auto", list_format::automatic}}};

/// The format of a list that begins with this text.
[[nodiscard]] list_format detect_format(std::string_view start);

/// The line without blanks and carriage returns at its ends, and without a comment; empty if nothing else is in it.
[[nodiscard]] std::string_view without_comment(std::string_view line, list_format format) noexcept;

/// Is this name in hosts files for the machine itself, as localhost is?
[[nodiscard]] bool is_own_name(std::string_view name) noexcept;

/// The domain that a rule blocks; empty for all other rules (exceptions, parts of pages, patterns).
[[nodiscard]] std::string_view domain_of_rule(std::string_view rule) noexcept;

/// Is it an address, or a network?
[[nodiscard]] bool is_address(std::string_view text) noexcept;

} // namespace everbloom::cli
