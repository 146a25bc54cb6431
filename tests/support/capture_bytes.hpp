// Captures made by hand: frames from the inside out, then a file around them.
//
//     const std::string frame = ethernet(type_ipv4, ipv4("10.0.0.7", protocol_udp, udp("payload")));
//     here.write("x.pcap", pcap_file(link_ethernet, {frame}));
//
// Lengths are right unless a shape says otherwise; checksums are 0.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::support {

// Link types as files number them. [tcpdump.org/linktypes.html]
inline constexpr unsigned link_null = 0;
inline constexpr unsigned link_ethernet = 1;
inline constexpr unsigned link_ppp = 9;
inline constexpr unsigned link_ppp_hdlc = 50;
inline constexpr unsigned link_pppoe = 51;
inline constexpr unsigned link_raw = 101;
inline constexpr unsigned link_wifi = 105;
inline constexpr unsigned link_loop = 108;
inline constexpr unsigned link_sll = 113;
inline constexpr unsigned link_ipv4 = 228;
inline constexpr unsigned link_ipv6 = 229;
inline constexpr unsigned link_sll2 = 276;

inline constexpr unsigned type_ipv4 = 0x0800;
inline constexpr unsigned type_arp = 0x0806;
inline constexpr unsigned type_vlan = 0x8100;
inline constexpr unsigned type_ipv6 = 0x86dd;
inline constexpr unsigned type_pppoe = 0x8864;
inline constexpr unsigned type_provider_vlan = 0x88a8;
inline constexpr unsigned type_old_double_vlan = 0x9100;

inline constexpr unsigned protocol_hop_by_hop = 0;
inline constexpr unsigned protocol_icmp = 1;
inline constexpr unsigned protocol_tcp = 6;
inline constexpr unsigned protocol_udp = 17;
inline constexpr unsigned protocol_routing = 43;
inline constexpr unsigned protocol_fragment = 44;
inline constexpr unsigned protocol_authentication = 51;
inline constexpr unsigned protocol_icmp6 = 58;
inline constexpr unsigned protocol_nothing = 59;
inline constexpr unsigned protocol_destination = 60;

enum class byte_order { big, little };

[[nodiscard]] inline std::string number_bytes(std::uint64_t number, unsigned bytes, byte_order order) {
    std::string made;
    for (unsigned i = 0; i < bytes; ++i) {
        made += static_cast<char>(number >> 8 * (order == byte_order::little ? i : bytes - 1 - i));
    }
    return made;
}
[[nodiscard]] inline std::string be8(unsigned number) { return number_bytes(number, 1, byte_order::big); }
[[nodiscard]] inline std::string be16(unsigned number) { return number_bytes(number, 2, byte_order::big); }
[[nodiscard]] inline std::string be32(std::uint32_t number) { return number_bytes(number, 4, byte_order::big); }

[[nodiscard]] inline std::string address_bytes(const std::string& text) {
    std::array<char, 16> bytes{};
    const bool is_v6 = text.find(':') != std::string::npos;
    if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, text.c_str(), bytes.data()) != 1)
        throw std::invalid_argument("no address: " + text);
    return {bytes.data(), is_v6 ? 16U : 4U};
}

// Transport.

[[nodiscard]] inline std::string udp(const std::string& payload, std::optional<std::size_t> bytes = {}) {
    return be16(4000) + be16(4001) + be16(static_cast<unsigned>(bytes.value_or(8 + payload.size()))) + be16(0) +
           payload;
}

/// `options` have a multiple of four bytes; `header_words` is what the header says its length is.
[[nodiscard]] inline std::string tcp(const std::string& payload, const std::string& options = {},
                                     std::optional<unsigned> header_words = {}) {
    const unsigned words = header_words.value_or(5 + static_cast<unsigned>(options.size() / 4));
    return be16(4000) + be16(4001) + be32(1) + be32(1) + be8(words << 4U) + be8(0x18) + be16(1024) + be32(0) + options +
           payload;
}

inline constexpr unsigned tcp_syn = 0x02;
inline constexpr unsigned tcp_push_ack = 0x18;

/// The place of a segment in a connection from `port` of its sender.
struct tcp_place {
    std::uint32_t sequence = 1;
    unsigned port = 4000;
    unsigned flags = tcp_push_ack;
};

[[nodiscard]] inline std::string tcp_at(const tcp_place& place, const std::string& payload) {
    return be16(place.port) + be16(4001) + be32(place.sequence) + be32(1) + be8(0x50) + be8(place.flags) + be16(1024) +
           be32(0) + payload;
}

// Internet.

inline constexpr unsigned more_fragments = 0x2000; // beside the offset, in units of eight bytes

struct ipv4_shape {
    std::string options = {};                       // a multiple of four bytes
    unsigned fragment = 0;                          // offset, and more_fragments
    std::optional<std::size_t> total_bytes = {};    // what the header says
    std::optional<unsigned> version_and_words = {}; // its first byte
};

[[nodiscard]] inline std::string ipv4(const std::string& sender, unsigned protocol, const std::string& carried,
                                      const ipv4_shape& shape = {}) {
    const std::size_t header_bytes = 20 + shape.options.size();
    const std::size_t total = shape.total_bytes.value_or(header_bytes + carried.size());
    return be8(shape.version_and_words.value_or(0x40U | static_cast<unsigned>(header_bytes / 4))) + be8(0) +
           be16(static_cast<unsigned>(total)) + be16(1) + be16(shape.fragment) + be8(64) + be8(protocol) + be16(0) +
           address_bytes(sender) + address_bytes("10.255.0.1") + shape.options + carried;
}

[[nodiscard]] inline std::string ipv6(const std::string& sender, unsigned next, const std::string& carried,
                                      std::optional<std::size_t> payload_bytes = {}) {
    return be32(0x60000000) + be16(static_cast<unsigned>(payload_bytes.value_or(carried.size()))) + be8(next) +
           be8(64) + address_bytes(sender) + address_bytes("2001:db8::ffff") + carried;
}

/// Hop-by-hop or destination options, filled with PadN. `more_units` of eight bytes each.
[[nodiscard]] inline std::string extension(unsigned next, const std::string& carried, unsigned more_units = 0) {
    const unsigned padding = 4 + 8 * more_units;
    return be8(next) + be8(more_units) + be8(1) + be8(padding) + std::string(padding, '\0') + carried;
}

/// No segments are left: the packet has arrived.
[[nodiscard]] inline std::string routing(unsigned next, const std::string& carried) {
    return be8(next) + be8(2) + be8(0) + be8(0) + be32(0) + address_bytes("2001:db8::1") + carried;
}

inline constexpr unsigned more_fragments6 = 1; // beside the offset, which is a multiple of eight

[[nodiscard]] inline std::string fragment6(unsigned next, unsigned offset_and_more, const std::string& carried) {
    return be8(next) + be8(0) + be16(offset_and_more) + be32(77) + carried;
}

[[nodiscard]] inline std::string authentication(unsigned next, const std::string& carried) {
    return be8(next) + be8(4) + be16(0) + be32(1) + be32(1) + std::string(12, 'c') + carried;
}

// Links.

[[nodiscard]] inline std::string ethernet(unsigned type, const std::string& carried) {
    return "\x02"
           "fives"
           "\x02"
           "fives" +
           be16(type) + carried;
}
/// What stands behind a type_vlan.
[[nodiscard]] inline std::string vlan_tag(unsigned type, const std::string& carried) {
    return be16(5) + be16(type) + carried;
}
/// Filled up to the 60 bytes that an Ethernet frame has at least.
[[nodiscard]] inline std::string padded(std::string frame) {
    if (frame.size() < 60) frame.resize(60, '\x55');
    return frame;
}
/// IEEE 802.3: a length, LLC, SNAP, and only then the type.
[[nodiscard]] inline std::string ethernet_snap(unsigned type, const std::string& carried) {
    const std::string behind = std::string("\xaa\xaa\x03\0\0\0", 6) + be16(type) + carried;
    return ethernet(static_cast<unsigned>(behind.size()), behind);
}
[[nodiscard]] inline std::string sll(unsigned type, const std::string& carried) {
    return be16(0) + be16(1) + be16(6) + std::string(8, 'm') + be16(type) + carried;
}
[[nodiscard]] inline std::string sll2(unsigned type, const std::string& carried) {
    return be16(type) + be16(0) + be32(2) + be16(1) + be8(0) + be8(6) + std::string(8, 'm') + carried;
}
/// What stands behind a type_pppoe.
[[nodiscard]] inline std::string pppoe(unsigned ppp_protocol, const std::string& carried) {
    return be16(0x1100) + be16(9) + be16(static_cast<unsigned>(carried.size() + 2)) + be16(ppp_protocol) + carried;
}

// Files.

struct pcap_shape {
    byte_order order = byte_order::little;
    std::uint32_t magic = 0xa1b2c3d4; // 0xa1b23c4d: with nanoseconds
    std::uint32_t longest_kept = 65535;
};

[[nodiscard]] inline std::string pcap_head(unsigned link, const pcap_shape& shape = {}) {
    const auto number = [&](std::uint64_t value, unsigned bytes) { return number_bytes(value, bytes, shape.order); };
    return number(shape.magic, 4) + number(2, 2) + number(4, 2) + number(0, 8) + number(shape.longest_kept, 4) +
           number(link, 4);
}

/// Of a frame that was `whole_bytes` long, if that is more than what was kept.
[[nodiscard]] inline std::string pcap_record(const std::string& kept, std::size_t whole_bytes = 0,
                                             byte_order order = byte_order::little) {
    return number_bytes(1, 4, order) + number_bytes(1, 4, order) + number_bytes(kept.size(), 4, order) +
           number_bytes(std::max(whole_bytes, kept.size()), 4, order) + kept;
}

[[nodiscard]] inline std::string pcap_file(unsigned link, const std::vector<std::string>& frames,
                                           const pcap_shape& shape = {}) {
    std::string made = pcap_head(link, shape);
    for (const std::string& frame : frames) made += pcap_record(frame, 0, shape.order);
    return made;
}

[[nodiscard]] inline std::string pcapng_block(std::uint32_t type, std::string body, byte_order order) {
    body.resize((body.size() + 3) / 4 * 4, '\0');
    const std::string length = number_bytes(body.size() + 12, 4, order);
    return number_bytes(type, 4, order) + length + body + length;
}

[[nodiscard]] inline std::string pcapng_interface(unsigned link, byte_order order = byte_order::little) {
    return pcapng_block(1, number_bytes(link, 2, order) + number_bytes(0, 2, order) + number_bytes(65535, 4, order),
                        order);
}

/// Enhanced packet blocks of one interface.
[[nodiscard]] inline std::string pcapng_file(unsigned link, const std::vector<std::string>& frames,
                                             byte_order order = byte_order::little) {
    const auto number = [&](std::uint64_t value, unsigned bytes) { return number_bytes(value, bytes, order); };
    std::string made =
        pcapng_block(0x0a0d0d0a, number(0x1a2b3c4d, 4) + number(1, 2) + number(0, 2) + std::string(8, '\xff'), order);
    made += pcapng_interface(link, order);
    for (const std::string& frame : frames) {
        made += pcapng_block(6, number(0, 4) + number(0, 8) + number(frame.size(), 4) + number(frame.size(), 4) + frame,
                             order);
    }
    return made;
}

} // namespace everbloom::support
