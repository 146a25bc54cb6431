// ip_address: the sender of a packet, IPv4 or IPv6, in 16 bytes.
//
// An IPv4 address is stored as an IPv4-mapped IPv6 address (::ffff:a.b.c.d), so that both forms of an address are the same sender. The
// hashed bytes are those of `--key-type ip`: the filters of a gate can be queried with `everbloom check --key-type ip`.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace everbloom::cli {

class ip_address {
public:
    constexpr ip_address() noexcept = default; // ::

    /// From the number a * 2^24 + b * 2^16 + c * 2^8 + d of a.b.c.d.
    [[nodiscard]] static constexpr ip_address v4(std::uint32_t number) noexcept {
        // By words: one is made for every packet, and bytes that are stored one by one are slow to read as a whole.
        if constexpr (std::endian::native == std::endian::little)
            number = number << 24 | (number & 0xFF00U) << 8 | (number >> 8 & 0xFF00U) | number >> 24;
        words made = std::bit_cast<words>(mapped);
        made[3] = number;
        return ip_address(std::bit_cast<std::array<std::uint8_t, 16>>(made));
    }

    [[nodiscard]] static constexpr ip_address v6(std::span<const std::uint8_t, 16> bytes) noexcept {
        ip_address made;
        for (std::size_t i = 0; i < 16; ++i) made.bytes_[i] = bytes[i];
        return made;
    }

    /// Parses a dotted quad or an IPv6 address; nullopt if the text is neither.
    [[nodiscard]] static std::optional<ip_address> parse(std::string_view text) noexcept;

    [[nodiscard]] constexpr bool is_v4() const noexcept {
        // By words: it is asked about every packet.
        const auto mine = std::bit_cast<words>(bytes_);
        const auto other = std::bit_cast<words>(mapped);
        return ((mine[0] ^ other[0]) | (mine[1] ^ other[1]) | (mine[2] ^ other[2])) == 0;
    }

    [[nodiscard]] constexpr const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }

    /// The bytes that are hashed: 4 of an IPv4 address, 16 of an IPv6 address.
    [[nodiscard]] std::string_view key() const noexcept {
        const auto* begin = reinterpret_cast<const char*>(bytes_.data());
        return is_v4() ? std::string_view(begin + 12, 4) : std::string_view(begin, 16);
    }

    [[nodiscard]] std::string text() const;

    template <class State>
    friend State AbslHashValue(State state, const ip_address& address) {
        return State::combine(std::move(state), address.bytes_);
    }

    friend constexpr bool operator==(const ip_address& a, const ip_address& b) noexcept {
        using halves = std::array<std::uint64_t, 2>;
        const auto mine = std::bit_cast<halves>(a.bytes_);
        const auto other = std::bit_cast<halves>(b.bytes_);
        return ((mine[0] ^ other[0]) | (mine[1] ^ other[1])) == 0;
    }
    friend constexpr auto operator<=>(const ip_address&, const ip_address&) noexcept = default;

private:
    using words = std::array<std::uint32_t, 4>;

    explicit constexpr ip_address(const std::array<std::uint8_t, 16>& bytes) noexcept : bytes_(bytes) {}

    static constexpr std::array<std::uint8_t, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};

    std::array<std::uint8_t, 16> bytes_{};
};

} // namespace everbloom::cli
