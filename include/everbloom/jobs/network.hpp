// network: an IPv4 or IPv6 network in CIDR notation, and the key that stands for it.
//
// The key of a network is its address in network order and one byte with the length of its prefix: 5 bytes for IPv4, 17 for IPv6. A filter
// of such keys answers for addresses: an address is in a network of length l if its first l bits and that length are a key. So a query asks
// once for each length in use; prefix_lengths says which those are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace everbloom {

struct network {
    static constexpr std::size_t v4_bytes = 4;
    static constexpr std::size_t v6_bytes = 16;
    static constexpr std::size_t most_bytes = v6_bytes + 1;

    std::array<std::uint8_t, v6_bytes> address{};
    std::uint8_t address_bytes = v4_bytes; // or v6_bytes
    std::uint8_t prefix = 0;               // in bits

    [[nodiscard]] bool is_v6() const noexcept { return address_bytes == v6_bytes; }
    [[nodiscard]] unsigned most_prefix() const noexcept { return 8U * address_bytes; }
    /// The network of the first `length` bits, which is not longer than this one.
    [[nodiscard]] network widened(unsigned length) const noexcept;
    [[nodiscard]] network without_host_bits() const noexcept { return widened(prefix); }
    [[nodiscard]] bool has_host_bits() const noexcept;
    /// Writes the key to `into`, which has room for most_bytes; returns its length.
    std::size_t write(char* into) const noexcept;
    /// 10.0.0.0/8; an address without its length: 10.0.0.1
    [[nodiscard]] std::string spelled() const;
};

/// "10.0.0.0/8", "2001:db8::/32", or an address. Host bits may be set; nothing if it is neither.
[[nodiscard]] std::optional<network> parse_network(std::string_view text) noexcept;

/// The network of a key; nothing if the bytes are no such key.
[[nodiscard]] std::optional<network> network_of_key(std::string_view bytes) noexcept;

} // namespace everbloom
