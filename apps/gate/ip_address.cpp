#include "gate/ip_address.hpp"

#include <everbloom/jobs/key_decoder.hpp>

#include <arpa/inet.h>

namespace everbloom::cli {

std::optional<ip_address> ip_address::parse(std::string_view text) noexcept {
    std::array<std::uint8_t, 16> bytes{};
    const auto length = decode_key(key_type::ip, text, reinterpret_cast<char*>(bytes.data()));
    if (!length) return std::nullopt;
    if (*length == 16) return v6(bytes);
    ip_address made;
    made.bytes_ = mapped;
    for (std::size_t i = 0; i < 4; ++i) made.bytes_[12 + i] = bytes[i];
    return made;
}

std::string ip_address::text() const {
    std::array<char, INET6_ADDRSTRLEN> written{};
    const bool short_form = is_v4();
    ::inet_ntop(short_form ? AF_INET : AF_INET6, bytes_.data() + (short_form ? 12 : 0), written.data(), written.size());
    return written.data();
}

} // namespace everbloom::cli
