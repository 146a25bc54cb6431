// frame_decoder: from the bytes of a captured frame to who sent it and what it carries.
//
//     | link header | VLAN tags | IPv4 or IPv6, options, extension headers | TCP or UDP | payload | filling |
//
// The payload is what TCP or UDP carry; of any other protocol, and of a fragment that is not the first, all that IP carries. Lengths
// are those that the headers tell, so that the filling of short Ethernet frames is no payload. Checksums are not looked at: a network
// card that computes them leaves them wrong in what is captured on its own machine. Fragments are not put together.
#pragma once

#include "gate/packet.hpp"

#include <cstdint>
#include <span>

namespace everbloom::cli {

/// libpcap's limit, and more than any network carries.
inline constexpr std::size_t longest_frame_bytes = std::size_t{1} << 18;

/// Is this a link type (DLT_..., as libpcap numbers them) whose frames can be decoded?
[[nodiscard]] bool knows_link_type(int link_type) noexcept;

/// `kept` is what the capture has of a frame that was `whole_bytes` long. The payload points into it.
[[nodiscard]] packet decode_frame(int link_type, std::span<const std::uint8_t> kept, std::size_t whole_bytes) noexcept;

} // namespace everbloom::cli
