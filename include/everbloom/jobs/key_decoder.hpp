// key_decoder: converts the text of a key to the bytes that are hashed.
//
//   text   the bytes as they are              ip    IPv4: 4 bytes, IPv6: 16 bytes, in network order
//   u64    eight bytes, little-endian         hex   the bytes of the digits
//   domain the name in lower case, without    cidr  the address of the network as for ip, then one byte: the length of its prefix.
//          its last dot; ASCII only                 An address is a network of one
//
// The typed forms make different spellings of one key the same key: 0x2a and 42, ::1 and 0:0:0:0:0:0:0:1, ff and FF, Example.COM. and
// example.com, 10.0.0.1 and 10.0.0.1/32. Names in other scripts come in their ASCII form (xn--...), which programs make with a library
// for IDNA.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

class key_decoder {
public:
    explicit key_decoder(key_type type) : type_(type) {}

    /// bytes[i] becomes the bytes of texts[i]. Returns how many could be decoded: fewer if one is malformed.
    /// The bytes are valid until the next call.
    [[nodiscard]] std::size_t decode(std::span<const std::string_view> texts, std::span<std::string_view> bytes);

private:
    key_type type_;
    std::vector<char> decoded_;
};

/// An upper bound for the bytes of a key.
[[nodiscard]] std::size_t most_key_bytes(key_type type, std::string_view text) noexcept;

/// Writes the bytes of one key to `into`, which has room for `most_key_bytes`; returns their number, or nothing if the text is malformed.
[[nodiscard]] std::optional<std::size_t> decode_key(key_type type, std::string_view text, char* into) noexcept;

/// The failure for a malformed key: "'x' is not an IPv4 or IPv6 address (key type ip)". `type_option`: what users set the type with.
[[nodiscard]] failure malformed_key(key_type type, std::string_view text, std::string_view type_option = "key type");

/// The bytes of one key, or the failure above.
[[nodiscard]] result<std::string> key_from_text(key_type type, std::string_view text);

/// The type of this name, or a failure that lists all types.
[[nodiscard]] result<key_type> key_type_named(std::string_view name);

} // namespace everbloom
