// What to say of a link type (how frames begin: Ethernet, Wi-Fi, USB, ...) that we cannot decode.
#pragma once

#include <everbloom/core/failure.hpp>

#include <pcap/pcap.h>

namespace everbloom::cli {

[[nodiscard]] inline failure unknown_link_type(int link_type) {
    const char* name = ::pcap_datalink_val_to_name(link_type);
    const std::string called = name == nullptr ? "without a name" : std::string("called ") + name;
    return {failure_reason::unsupported,
            "its packets are of link type " + std::to_string(link_type) + " (" + called +
                "), which cannot be decoded; Ethernet, raw IP, Linux cooked (SLL), loopback "
                "and PPP can"};
}

} // namespace everbloom::cli
