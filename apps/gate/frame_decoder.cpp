#include "gate/frame_decoder.hpp"

#include "gate/frame_cursor.hpp"

#include <pcap/dlt.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

namespace ethertype {                    // [IEEE 802 numbers]
constexpr unsigned longest_802_3 = 1500; // values up to this one are lengths
constexpr unsigned ipv4 = 0x0800;
constexpr unsigned vlan = 0x8100;
constexpr unsigned ipv6 = 0x86dd;
constexpr unsigned pppoe_session = 0x8864;
constexpr unsigned provider_vlan = 0x88a8;
constexpr unsigned old_double_vlan = 0x9100;
} // namespace ethertype

namespace protocol { // [IANA protocol numbers]
constexpr unsigned hop_by_hop = 0;
constexpr unsigned icmp = 1;
constexpr unsigned tcp = 6;
constexpr unsigned udp = 17;
constexpr unsigned routing = 43;
constexpr unsigned fragment = 44;
constexpr unsigned authentication = 51;
constexpr unsigned icmp6 = 58;
constexpr unsigned nothing_follows = 59;
constexpr unsigned destination_options = 60;
} // namespace protocol

constexpr unsigned most_vlan_tags = 4;

enum class datagram_part { all, first };

constexpr packet undecodable_frame(decoding why) noexcept { return {{}, {}, why, {}, {}}; }

/// The headers of IP, as far as they were read.
struct ip_facts {
    ip_address sender;
    packet_ends ends;
};

packet payload_from(const frame_cursor& at, const ip_facts& facts) noexcept {
    if (at.error()) return undecodable_frame(*at.error());
    const decoding how = at.kept().size() < at.whole_bytes() ? decoding::cut_short : decoding::whole;
    return {facts.sender, at.kept(), how, facts.ends, {}};
}

packet decode_tcp(frame_cursor at, const ip_facts& facts, datagram_part part) noexcept {
    constexpr unsigned syn = 0x02;
    tcp_segment segment{.sequence = at.u32(4), .opens = (at.u8(13) & syn) != 0};
    const unsigned header_bytes = 4U * (at.u8(12) >> 4U);
    if (!at.error() && header_bytes < 20) return undecodable_frame(decoding::damaged);
    at.skip(header_bytes);
    packet made = payload_from(at, facts);
    if (!made.decodable() || part != datagram_part::all) return made;
    segment.bytes = static_cast<std::uint32_t>(at.whole_bytes());
    if (segment.opens) ++segment.sequence; // the SYN itself has the number before
    made.segment = segment;
    return made;
}

/// Does this ICMP message carry the beginning of a packet that its sender did not send?
bool quotes_a_packet(frame_cursor at, unsigned carried) noexcept {
    if (at.kept().empty()) return false;
    const unsigned type = at.u8(0);
    if (carried == protocol::icmp6) return type < 128 || type == 137; // errors, and redirects [RFC 4443, RFC 4861]
    // Destination unreachable, source quench, redirect, time exceeded, parameter problem [RFC 792].
    return carried == protocol::icmp && (type == 3 || type == 4 || type == 5 || type == 11 || type == 12);
}

packet decode_udp(frame_cursor at, const ip_facts& facts, datagram_part part) noexcept {
    const unsigned udp_bytes = at.u16(4);
    // 0 is a jumbogram [RFC 2675]: its length is that of IP. In the first of several fragments the field has the length of the whole
    // datagram.
    if (!at.error() && udp_bytes != 0) {
        if (udp_bytes < 8) return undecodable_frame(decoding::damaged);
        if (udp_bytes <= at.whole_bytes())
            at.end_after(udp_bytes);
        else if (part == datagram_part::all)
            return undecodable_frame(decoding::damaged);
    }
    at.skip(8);
    return payload_from(at, facts);
}

/// Skips a header that begins with the number of the next header and its own length.
unsigned next_header(frame_cursor& at, std::size_t unit_bytes, std::size_t units_not_counted) noexcept {
    const unsigned next = at.u8(0);
    at.skip(unit_bytes * (at.u8(1) + units_not_counted));
    return next;
}

/// `carried` is the protocol behind the headers that have been read so far.
packet decode_transport(frame_cursor at, ip_facts facts, unsigned carried, datagram_part part) noexcept {
    while (carried == protocol::authentication && !at.error()) carried = next_header(at, 4, 2);
    facts.ends.protocol = static_cast<std::uint8_t>(carried);
    if (carried == protocol::tcp || carried == protocol::udp) {
        facts.ends.sender_port = at.u16(0);
        facts.ends.receiver_port = at.u16(2);
    }
    if (carried == protocol::tcp) return decode_tcp(at, facts, part);
    if (carried == protocol::udp) return decode_udp(at, facts, part);
    packet made = payload_from(at, facts);
    if (made.decodable() && quotes_a_packet(at, carried)) made.payload = made.payload.first(0);
    return made;
}

/// A fragment behind the first has no header of its protocol.
packet later_fragment(const frame_cursor& at, ip_facts facts, unsigned carried) noexcept {
    facts.ends.protocol = static_cast<std::uint8_t>(carried);
    return payload_from(at, facts);
}

packet decode_ipv4(frame_cursor at) noexcept {
    const unsigned version = at.u8(0) >> 4U;
    const unsigned header_bytes = 4U * (at.u8(0) & 15U);
    const unsigned total_bytes = at.u16(2);
    const unsigned fragment = at.u16(6);
    const unsigned carried = at.u8(9);
    const ip_address sender = ip_address::v4(at.u32(12));
    const ip_address receiver = ip_address::v4(at.u32(16));
    if (at.error()) return undecodable_frame(*at.error());
    if (version != 4 || header_bytes < 20) return undecodable_frame(decoding::damaged);
    // 0: captured before segmentation offloading filled in the lengths.
    if (total_bytes != 0) {
        if (total_bytes < header_bytes) return undecodable_frame(decoding::damaged);
        at.end_after(total_bytes);
    }
    at.skip(header_bytes);
    const bool more_follow = (fragment & 0x2000U) != 0;
    const ip_facts facts{sender, {.receiver = receiver}};
    if ((fragment & 0x1fffU) != 0) return later_fragment(at, facts, carried);
    return decode_transport(at, facts, carried, more_follow ? datagram_part::first : datagram_part::all);
}

packet decode_ipv6(frame_cursor at) noexcept {
    const unsigned version = at.u8(0) >> 4U;
    const unsigned payload_bytes = at.u16(4);
    unsigned carried = at.u8(6);
    const ip_address sender = ip_address::v6(at.sixteen_bytes(8));
    const ip_address receiver = ip_address::v6(at.sixteen_bytes(24));
    if (!at.error() && version != 6) return undecodable_frame(decoding::damaged);
    at.skip(40);
    if (at.error()) return undecodable_frame(*at.error());
    // 0 as in IPv4, unless there is no next header.
    if (payload_bytes != 0 || carried == protocol::nothing_follows) at.end_after(payload_bytes);
    datagram_part part = datagram_part::all;
    while (!at.error()) { // each step takes at least eight bytes
        if (carried == protocol::hop_by_hop || carried == protocol::routing ||
            carried == protocol::destination_options) {
            carried = next_header(at, 8, 1);
        } else if (carried == protocol::authentication) {
            carried = next_header(at, 4, 2);
        } else if (carried == protocol::fragment) {
            carried = at.u8(0);
            const unsigned place = at.u16(2);
            at.skip(8);
            if ((place & 0xfff8U) != 0) return later_fragment(at, {sender, {.receiver = receiver}}, carried);
            if ((place & 1U) != 0) part = datagram_part::first;
        } else {
            break;
        }
    }
    return decode_transport(at, {sender, {.receiver = receiver}}, carried, part);
}

packet decode_ip(frame_cursor at) noexcept {
    const unsigned version = at.u8(0) >> 4U;
    return !at.error() && version == 6 ? decode_ipv6(at) : decode_ipv4(at);
}

/// PPP, with or without the two bytes of HDLC in front; the protocol number has one byte (if odd) or two.
packet decode_ppp(frame_cursor at) noexcept {
    constexpr unsigned hdlc_start = 0xff03;
    constexpr unsigned ppp_ipv4 = 0x21;
    constexpr unsigned ppp_ipv6 = 0x57;
    if (at.u16(0) == hdlc_start) at.skip(2);
    const bool is_short = (at.u8(0) & 1U) != 0;
    const unsigned carried = is_short ? at.u8(0) : at.u16(0);
    at.skip(is_short ? 1 : 2);
    if (at.error()) return undecodable_frame(*at.error());
    if (carried == ppp_ipv4) return decode_ipv4(at);
    if (carried == ppp_ipv6) return decode_ipv6(at);
    return undecodable_frame(decoding::not_ip);
}

packet decode_pppoe(frame_cursor at) noexcept {
    const unsigned ppp_bytes = at.u16(4);
    at.skip(6);
    if (at.error()) return undecodable_frame(*at.error());
    at.end_after(ppp_bytes);
    return decode_ppp(at);
}

/// IEEE 802.3 has a length instead of the type; the type, if any, follows in LLC and SNAP. Returns 0 if there is none.
unsigned type_in_snap(frame_cursor& at, unsigned frame_bytes) noexcept {
    constexpr std::size_t llc_and_snap_bytes = 8;
    constexpr std::uint32_t llc_of_snap = 0xaaaa0300; // and the first byte of the organisation, which is 0
    if (frame_bytes < llc_and_snap_bytes) return 0;
    at.end_after(frame_bytes);
    if (at.u32(0) != llc_of_snap || at.u16(4) != 0) return 0;
    const unsigned type = at.u16(6);
    at.skip(llc_and_snap_bytes);
    return type;
}

packet decode_typed(frame_cursor at, unsigned type) noexcept {
    for (unsigned tags = 0; tags <= most_vlan_tags; ++tags) {
        if (type <= ethertype::longest_802_3) type = type_in_snap(at, type);
        if (at.error()) break;
        switch (type) {
        case ethertype::ipv4: return decode_ipv4(at);
        case ethertype::ipv6: return decode_ipv6(at);
        case ethertype::pppoe_session: return decode_pppoe(at);
        case ethertype::vlan:
        case ethertype::provider_vlan:
        case ethertype::old_double_vlan: break;
        default: return undecodable_frame(decoding::not_ip);
        }
        type = at.u16(2);
        at.skip(4);
    }
    return undecodable_frame(at.error().value_or(decoding::not_ip));
}

/// Ethernet, and other link headers with an Ethernet type at some offset.
packet decode_ethernet(frame_cursor at, std::size_t type_at, std::size_t header_bytes) noexcept {
    const unsigned type = at.u16(type_at);
    at.skip(header_bytes);
    return decode_typed(at, type);
}

/// BSD loopback: the address family in host byte order (NULL) or network byte order (LOOP).
packet decode_loopback(frame_cursor at) noexcept {
    std::uint32_t family = at.u32(0);
    at.skip(4);
    if (at.error()) return undecodable_frame(*at.error());
    if (family > 0xffff)
        family = (family & 0xffU) << 24U | (family & 0xff00U) << 8U | (family >> 8U & 0xff00U) | family >> 24U;
    switch (family) {
    case 2: return decode_ipv4(at);
    case 10: // Linux
    case 24: // NetBSD, OpenBSD
    case 28: // FreeBSD
    case 30: // macOS
        return decode_ipv6(at);
    default: return undecodable_frame(decoding::not_ip);
    }
}

/// The usual frame has its headers at fixed places: Ethernet, IPv4 without options or fragments, UDP or TCP.
constexpr std::size_t ethernet_bytes = 14;
constexpr std::size_t ipv4_bytes = 20;
constexpr std::size_t udp_bytes = 8;
constexpr std::size_t tcp_bytes = 20;

unsigned u16_at(const std::uint8_t* bytes) noexcept { return static_cast<unsigned>(bytes[0] << 8 | bytes[1]); }

std::uint32_t u32_at(const std::uint8_t* bytes) noexcept {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
           std::uint32_t{bytes[3]};
}

/// All headers of a usual frame, if they were captured and their lengths fit each other. 0: the frame needs a closer look.
std::size_t usual_header_bytes(std::span<const std::uint8_t> kept) noexcept {
    constexpr std::size_t least = ethernet_bytes + ipv4_bytes + udp_bytes;
    if (kept.size() < least) return 0;
    const std::uint8_t* const ip = kept.data() + ethernet_bytes;
    if (u16_at(ip - 2) != ethertype::ipv4 || ip[0] != 0x45 || (u16_at(ip + 6) & 0x3fffU) != 0) return 0;
    const std::size_t total_bytes = u16_at(ip + 2);
    const std::uint8_t* const transport = ip + ipv4_bytes;
    if (ip[9] == protocol::udp) {
        const std::size_t datagram_bytes = u16_at(transport + 4);
        return datagram_bytes >= udp_bytes && ipv4_bytes + datagram_bytes <= total_bytes ? least : 0;
    }
    if (ip[9] != protocol::tcp || kept.size() < ethernet_bytes + ipv4_bytes + tcp_bytes) return 0;
    const std::size_t header_bytes = ipv4_bytes + 4U * (transport[12] >> 4U);
    const bool fits = header_bytes >= ipv4_bytes + tcp_bytes && header_bytes <= total_bytes &&
                      ethernet_bytes + header_bytes <= kept.size();
    return fits ? ethernet_bytes + header_bytes : 0;
}

/// What the other functions would make of it, in a quarter of the instructions.
packet decode_usual(std::span<const std::uint8_t> kept, std::size_t header_bytes) noexcept {
    constexpr unsigned syn = 0x02;
    const std::uint8_t* const ip = kept.data() + ethernet_bytes;
    const std::uint8_t* const transport = ip + ipv4_bytes;
    const bool is_tcp = ip[9] == protocol::tcp;
    // Of the packet by its headers; what follows is padding.
    const std::size_t end = ethernet_bytes + (is_tcp ? u16_at(ip + 2) : ipv4_bytes + u16_at(transport + 4));
    const std::size_t kept_end = std::min(kept.size(), end);
    packet made;
    made.sender = ip_address::v4(u32_at(ip + 12));
    made.payload = kept.subspan(header_bytes, kept_end - header_bytes);
    if (kept_end < end) made.how = decoding::cut_short;
    packet_ends& ends = made.ends.emplace();
    ends.receiver = ip_address::v4(u32_at(ip + 16));
    ends.sender_port = static_cast<std::uint16_t>(u16_at(transport));
    ends.receiver_port = static_cast<std::uint16_t>(u16_at(transport + 2));
    ends.protocol = ip[9];
    if (is_tcp) {
        const bool opens = (transport[13] & syn) != 0;
        made.segment = {.sequence = u32_at(transport + 4) + (opens ? 1U : 0U),
                        .bytes = static_cast<std::uint32_t>(end - header_bytes),
                        .opens = opens};
    }
    return made;
}

} // namespace

bool knows_link_type(int link_type) noexcept {
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_NULL:
    case DLT_LOOP:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_PPP:
    case DLT_PPP_SERIAL:
    case DLT_PPP_ETHER: return true;
    default: return false;
    }
}

packet decode_frame(int link_type, std::span<const std::uint8_t> kept, std::size_t whole_bytes) noexcept {
    if (link_type == DLT_EN10MB) [[likely]] {
        if (const std::size_t header_bytes = usual_header_bytes(kept); header_bytes != 0)
            return decode_usual(kept, header_bytes);
    }
    const frame_cursor at(kept, whole_bytes);
    switch (link_type) {
    case DLT_EN10MB: return decode_ethernet(at, 12, 14);
    case DLT_LINUX_SLL: return decode_ethernet(at, 14, 16);
    case DLT_LINUX_SLL2: return decode_ethernet(at, 0, 20);
    case DLT_RAW: return decode_ip(at);
    case DLT_IPV4: return decode_ipv4(at);
    case DLT_IPV6: return decode_ipv6(at);
    case DLT_NULL:
    case DLT_LOOP: return decode_loopback(at);
    case DLT_PPP:
    case DLT_PPP_SERIAL: return decode_ppp(at);
    case DLT_PPP_ETHER: return decode_pppoe(at);
    default: return undecodable_frame(decoding::not_ip);
    }
}

} // namespace everbloom::cli
