#include <everbloom/core/hex_digits.hpp>
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/jobs/network.hpp>

#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <utility>

namespace everbloom {
namespace {

std::string spell_number(std::string_view bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return std::to_string(number);
}

std::string spell_address(std::string_view bytes) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
    return text.data();
}

std::string spell_digits(std::string_view bytes) {
    std::string digits;
    digits.reserve(2 * bytes.size());
    for (const char byte : bytes) append_hex(digits, static_cast<unsigned char>(byte));
    return digits;
}

} // namespace

std::optional<std::string> spell_key(key_type type, std::string_view bytes) {
    switch (type) {
    case key_type::u64:
        if (bytes.size() != sizeof(std::uint64_t)) return std::nullopt;
        return spell_number(bytes);
    case key_type::ip:
        if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) return std::nullopt;
        return spell_address(bytes);
    case key_type::hex: return spell_digits(bytes);
    case key_type::cidr:
        if (const auto found = network_of_key(bytes)) return found->spelled();
        return std::nullopt;
    case key_type::domain: {
        std::string checked(bytes.size(), '\0');
        const auto length = decode_key(type, bytes, checked.data());
        if (!length || std::string_view(checked).substr(0, *length) != bytes) return std::nullopt;
        break;
    }
    case key_type::text: break;
    }
    return std::string(bytes);
}

std::optional<std::string_view> canonical_key::operator()(std::string_view text) {
    if (type_ == key_type::text) return text;
    bytes_.resize(most_key_bytes(type_, text));
    const auto decoded = decode_key(type_, text, bytes_.data());
    if (!decoded) return std::nullopt;
    auto spelled = spell_key(type_, {bytes_.data(), *decoded});
    if (!spelled) return std::nullopt;
    spelling_ = std::move(*spelled);
    return spelling_;
}

} // namespace everbloom
