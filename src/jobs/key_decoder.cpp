#include <everbloom/core/hex_digits.hpp>
#include <everbloom/core/printable.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/jobs/network.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

namespace everbloom {
namespace {

std::optional<std::size_t> decode_u64(std::string_view text, char* into) noexcept {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::uint64_t number = 0; // little-endian in memory, as on every machine we support
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    std::memcpy(into, &number, sizeof number);
    return sizeof number;
}

std::optional<std::size_t> decode_ip(std::string_view text, char* into) noexcept {
    std::array<char, INET6_ADDRSTRLEN> copy{}; // inet_pton needs a terminating zero
    if (text.size() >= copy.size() || text.find('\0') != std::string_view::npos) return std::nullopt;
    std::copy(text.begin(), text.end(), copy.begin());
    if (::inet_pton(AF_INET, copy.data(), into) == 1) return sizeof(in_addr);
    if (::inet_pton(AF_INET6, copy.data(), into) == 1) return sizeof(in6_addr);
    return std::nullopt;
}

std::optional<std::size_t> decode_hex(std::string_view text, char* into) noexcept {
    if (text.size() % 2 != 0) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        into[i / 2] = static_cast<char>(high * 16 + low);
    }
    return text.size() / 2;
}

constexpr bool is_label_byte(char byte) noexcept {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/// Labels of 1 to 63 bytes, 253 in total [RFC 1035]. The underscore is in names of services, and in real lists.
std::optional<std::size_t> decode_domain(std::string_view text, char* into) noexcept {
    constexpr std::size_t longest_label = 63;
    constexpr std::size_t longest_name = 253;
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty() || text.size() > longest_name) return std::nullopt;
    std::size_t label = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char lower = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
        into[i] = lower;
        if (lower == '.') {
            if (label == 0) return std::nullopt;
            label = 0;
        } else if (!is_label_byte(lower) || ++label > longest_label) {
            return std::nullopt;
        }
    }
    if (label == 0) return std::nullopt;
    return text.size();
}

std::optional<std::size_t> decode_cidr(std::string_view text, char* into) noexcept {
    const auto found = parse_network(text);
    if (!found || found->has_host_bits()) return std::nullopt;
    return found->write(into);
}

} // namespace

std::size_t most_key_bytes(key_type type, std::string_view text) noexcept {
    switch (type) {
    case key_type::text: break;
    case key_type::u64: return sizeof(std::uint64_t);
    case key_type::ip: return sizeof(in6_addr);
    case key_type::hex: return text.size() / 2;
    case key_type::cidr: return network::most_bytes;
    case key_type::domain: break;
    }
    return text.size();
}

std::optional<std::size_t> decode_key(key_type type, std::string_view text, char* into) noexcept {
    switch (type) {
    case key_type::text: break;
    case key_type::u64: return decode_u64(text, into);
    case key_type::ip: return decode_ip(text, into);
    case key_type::hex: return decode_hex(text, into);
    case key_type::domain: return decode_domain(text, into);
    case key_type::cidr: return decode_cidr(text, into);
    }
    std::copy(text.begin(), text.end(), into);
    return text.size();
}

std::size_t key_decoder::decode(std::span<const std::string_view> texts, std::span<std::string_view> bytes) {
    if (type_ == key_type::text) {
        std::copy(texts.begin(), texts.end(), bytes.begin());
        return texts.size();
    }
    std::size_t room = 0;
    for (const std::string_view text : texts) room += most_key_bytes(type_, text);
    if (decoded_.size() < room) decoded_.resize(room);
    char* into = decoded_.data();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto made = decode_key(type_, texts[i], into);
        if (!made) return i;
        bytes[i] = {into, *made};
        into += *made;
    }
    return texts.size();
}

failure malformed_key(key_type type, std::string_view text, std::string_view type_option) {
    std::string_view wanted = "a text";
    if (type == key_type::u64) wanted = "a number from 0 to 2^64 - 1, decimal or 0x...";
    if (type == key_type::ip) wanted = "an IPv4 or IPv6 address";
    if (type == key_type::hex) wanted = "pairs of hexadecimal digits";
    if (type == key_type::domain) wanted = "a domain name";
    if (type == key_type::cidr) wanted = "an address or a network such as 10.0.0.0/8";
    std::string advice;
    if (const auto found = type == key_type::cidr ? parse_network(text) : std::nullopt; found) {
        wanted = "a network: it has bits behind its prefix";
        advice = "; did you mean " + found->without_host_bits().spelled() + "?";
    }
    return {failure_reason::bad_parameter, "'" + printable(text) + "' is not " + std::string(wanted) + " (" +
                                               std::string(type_option) + " " + std::string(name_of(type)) + ")" +
                                               advice};
}

result<std::string> key_from_text(key_type type, std::string_view text) {
    std::string bytes(most_key_bytes(type, text), '\0');
    const auto made = decode_key(type, text, bytes.data());
    if (!made) return fail(malformed_key(type, text));
    bytes.resize(*made);
    return bytes;
}

result<key_type> key_type_named(std::string_view name) {
    const auto found = std::find(key_type_names.begin(), key_type_names.end(), name);
    if (found != key_type_names.end()) return static_cast<key_type>(found - key_type_names.begin());
    std::string names;
    for (const std::string_view one : key_type_names) names += (names.empty() ? "" : ", ") + std::string(one);
    return fail(failure_reason::bad_parameter, "unknown type '" + std::string(name) + "'; known types: " + names);
}

} // namespace everbloom
