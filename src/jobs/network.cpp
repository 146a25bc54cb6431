#include <everbloom/jobs/network.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace everbloom {

network network::widened(unsigned length) const noexcept {
    network made = *this;
    made.prefix = static_cast<std::uint8_t>(length);
    for (std::size_t i = 0; i < made.address.size(); ++i) {
        const unsigned kept = length <= 8 * i ? 0 : std::min<unsigned>(8, length - 8 * static_cast<unsigned>(i));
        made.address[i] = static_cast<std::uint8_t>(made.address[i] & (0xff00U >> kept));
    }
    return made;
}

bool network::has_host_bits() const noexcept { return widened(prefix).address != address; }

std::size_t network::write(char* into) const noexcept {
    std::copy_n(address.begin(), address_bytes, reinterpret_cast<std::uint8_t*>(into));
    into[address_bytes] = static_cast<char>(prefix);
    return std::size_t{address_bytes} + 1;
}

std::string network::spelled() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(is_v6() ? AF_INET6 : AF_INET, address.data(), text.data(), text.size());
    std::string made = text.data();
    if (prefix != most_prefix()) made += "/" + std::to_string(prefix);
    return made;
}

std::optional<network> parse_network(std::string_view text) noexcept {
    const std::size_t slash = text.find('/');
    const std::string_view address = text.substr(0, slash);
    std::array<char, INET6_ADDRSTRLEN> copy{}; // inet_pton needs a terminating zero
    if (address.size() >= copy.size() || address.find('\0') != std::string_view::npos) return std::nullopt;
    std::copy(address.begin(), address.end(), copy.begin());
    network made;
    if (::inet_pton(AF_INET, copy.data(), made.address.data()) != 1) {
        made.address_bytes = network::v6_bytes;
        if (::inet_pton(AF_INET6, copy.data(), made.address.data()) != 1) return std::nullopt;
    }
    made.prefix = static_cast<std::uint8_t>(made.most_prefix());
    if (slash == std::string_view::npos) return made;
    const std::string_view digits = text.substr(slash + 1);
    unsigned length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || end != digits.data() + digits.size() || length > made.most_prefix())
        return std::nullopt;
    made.prefix = static_cast<std::uint8_t>(length);
    return made;
}

std::optional<network> network_of_key(std::string_view bytes) noexcept {
    if (bytes.size() != network::v4_bytes + 1 && bytes.size() != network::v6_bytes + 1) return std::nullopt;
    network made;
    made.address_bytes = static_cast<std::uint8_t>(bytes.size() - 1);
    std::copy_n(bytes.begin(), made.address_bytes, reinterpret_cast<char*>(made.address.data()));
    made.prefix = static_cast<std::uint8_t>(bytes.back());
    if (made.prefix > made.most_prefix() || made.has_host_bits()) return std::nullopt;
    return made;
}

} // namespace everbloom
