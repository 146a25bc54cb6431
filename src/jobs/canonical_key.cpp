#include <everbloom/core/hex_digits.hpp>
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/key_decoder.hpp>

#include <arpa/inet.h>

#include <array>
#include <cstring>

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

std::optional<std::string_view> canonical_key::operator()(std::string_view text) {
    if (type_ == key_type::text) return text;
    bytes_.resize(most_key_bytes(type_, text));
    const auto decoded = decode_key(type_, text, bytes_.data());
    if (!decoded) return std::nullopt;
    const std::string_view bytes(bytes_.data(), *decoded);
    switch (type_) {
    case key_type::u64: spelling_ = spell_number(bytes); break;
    case key_type::ip: spelling_ = spell_address(bytes); break;
    case key_type::hex: spelling_ = spell_digits(bytes); break;
    case key_type::text: break;
    }
    return spelling_;
}

} // namespace everbloom
