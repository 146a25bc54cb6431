// packet: sender and payload, as the gate sees them.
#pragma once

#include "gate/flows/tcp_segment.hpp"
#include "gate/ip_address.hpp"
#include "gate/packet_ends.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace everbloom::cli {

/// How much of a packet could be decoded.
enum class decoding : std::uint8_t {
    whole,       // sender and payload
    cut_short,   // sender, and the captured beginning of the payload
    not_ip,      // ARP and the like: no sender to judge
    damaged,     // inconsistent IP headers
    headers_cut, // the capture ends before the headers do
};
inline constexpr std::size_t decodings = 5;
inline constexpr std::array<std::string_view, decodings> decoding_words{"whole", "cut_short", "not_ip", "damaged",
                                                                        "headers_cut"};

struct packet {
    ip_address sender;
    /// Of the transport (TCP, UDP) where it is known, otherwise of IP. Empty in an ICMP error, which quotes another sender's packet.
    std::span<const std::uint8_t> payload;
    decoding how = decoding::whole;
    std::optional<packet_ends> ends = {};    // of a captured IP packet; raw packets and lines of text have none
    std::optional<tcp_segment> segment = {}; // of TCP that is not fragmented; there are ends then

    [[nodiscard]] bool decodable() const noexcept { return how == decoding::whole || how == decoding::cut_short; }
};

} // namespace everbloom::cli
