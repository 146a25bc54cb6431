// packet_ends: where a packet goes, from which port to which, by which protocol. With its sender that is its five-tuple.
#pragma once

#include "gate/ip_address.hpp"

#include <cstdint>

namespace everbloom::cli {

struct packet_ends {
    ip_address receiver;
    std::uint16_t sender_port = 0; // TCP and UDP have ports; so has only the first of several fragments
    std::uint16_t receiver_port = 0;
    std::uint8_t protocol = 0; // by its number of IP

    friend constexpr bool operator==(const packet_ends&, const packet_ends&) noexcept = default;
};

} // namespace everbloom::cli
