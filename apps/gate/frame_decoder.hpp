// frame_decoder: sender and payload of a captured frame.
//
//     | link header | VLAN tags | IPv4 or IPv6, options, extension headers | TCP or UDP | payload | padding |
//
// The payload is that of TCP or UDP; for any other protocol, and for a fragment that is not the first, that of IP. ICMP errors have none:
// what they carry is the beginning of a packet of somebody else, and its sender is not who reports the error. Lengths are taken from the
// headers, so that the padding of short Ethernet frames is not payload. Checksums are not verified: with checksum offloading they are
// wrong in packets captured on the sending machine. Fragments are not reassembled.
#pragma once

#include "gate/packet.hpp"

#include <cstdint>
#include <span>

namespace everbloom::cli {

/// The limit of libpcap, larger than any frame on a network.
inline constexpr std::size_t longest_frame_bytes = std::size_t{1} << 18;

/// Can frames of this link type (a DLT_... number of libpcap) be decoded?
[[nodiscard]] bool knows_link_type(int link_type) noexcept;

/// `kept` are the captured bytes of a frame of `whole_bytes` bytes. The payload points into it.
[[nodiscard]] packet decode_frame(int link_type, std::span<const std::uint8_t> kept, std::size_t whole_bytes) noexcept;

} // namespace everbloom::cli
