// Error message for unsupported link types (Wi-Fi, USB, ...).
#pragma once

#include <everbloom/core/failure.hpp>

#include <pcap/pcap.h>

namespace everbloom::cli {

[[nodiscard]] inline failure unknown_link_type(int link_type) {
    const char* name = ::pcap_datalink_val_to_name(link_type);
    const std::string label = name == nullptr ? "" : std::string(" (") + name + ")";
    return {failure_reason::unsupported,
            "link type " + std::to_string(link_type) + label +
                " is not supported; supported are Ethernet, raw IP, Linux cooked (SLL), loopback and PPP"};
}

} // namespace everbloom::cli
