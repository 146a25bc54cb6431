// Frames of every shape that the gate decodes, and of shapes that it must refuse, with what is to be said of each.
//
// A shape wraps a payload. With `bad_payload` the verdict is BAD, which only happens if the payload was found at its place; with
// `harmless_payload` it is ACCEPT, which only happens if nothing of the headers or of the filling was taken for payload, because words
// of those are patterns as well.
#pragma once

#include "cli/workbench.hpp"
#include "support/capture_bytes.hpp"

#include <functional>
#include <map>
#include <sstream>

namespace everbloom::support {

inline constexpr std::string_view gate_patterns = "badc0de1 badc0de2\n"
                                                  "0fa00fa1\n"  // the ports of udp() and tcp()
                                                  "55555555\n"; // the filling of padded()
inline const std::string bad_payload = be32(0xbadc0de1) + be32(0xbadc0de2);
inline const std::string harmless_payload = be32(0x01020304) + be32(0xbadc0de2);

struct frame_shape {
    std::string name;
    unsigned link;
    std::string sender; // of the first frame of the shape: 10.0.x.1 or 2001:db8:x::1
    std::function<std::string(const std::string& sender, const std::string& payload)> frame;
};

[[nodiscard]] inline std::vector<frame_shape> good_shapes() {
    std::vector<frame_shape> all;
    const auto add = [&](std::string name, unsigned link, char family, auto wrap) {
        const std::string number = std::to_string(all.size());
        all.push_back({std::move(name), link, family == '4' ? "10.0." + number + ".1" : "2001:db8:" + number + "::1",
                       std::move(wrap)});
    };
    using text = const std::string&;
    const auto udp4 = [](text sender, text payload) { return ipv4(sender, protocol_udp, udp(payload)); };
    const auto tcp4 = [](text sender, text payload) { return ipv4(sender, protocol_tcp, tcp(payload)); };
    const auto udp6 = [](text sender, text payload) { return ipv6(sender, protocol_udp, udp(payload)); };
    const auto tcp6 = [](text sender, text payload) { return ipv6(sender, protocol_tcp, tcp(payload)); };
    // IPv4 on Ethernet, one shape after the other.
    const auto on_ethernet = [&](std::string name, auto carried) {
        add(std::move(name), link_ethernet, '4',
            [carried](text sender, text payload) { return padded(ethernet(type_ipv4, carried(sender, payload))); });
    };
    on_ethernet("udp", udp4);
    on_ethernet("tcp", tcp4);
    on_ethernet("tcp with options", [](text sender, text payload) {
        return ipv4(sender, protocol_tcp, tcp(payload, std::string(12, '\1')));
    });
    on_ethernet("options of IP", [](text sender, text payload) {
        return ipv4(sender, protocol_udp, udp(payload), {.options = std::string(8, '\1')});
    });
    on_ethernet("the first of several fragments", [](text sender, text payload) {
        return ipv4(sender, protocol_udp, udp(payload, 4000), {.fragment = more_fragments});
    });
    on_ethernet("an authentication header", [](text sender, text payload) {
        return ipv4(sender, protocol_authentication, authentication(protocol_tcp, tcp(payload)));
    });
    on_ethernet("filling within IP, behind UDP", [](text sender, text payload) {
        return ipv4(sender, protocol_udp, udp(payload, 8 + payload.size()) + std::string(8, '\x55'));
    });
    add("segmentation offload", link_ethernet, '4', [](text sender, text payload) {
        return ethernet(type_ipv4, ipv4(sender, protocol_tcp, tcp(payload), {.total_bytes = 0}));
    });
    // The ways to name a type on Ethernet.
    const auto on_link = [&](std::string name, unsigned link, auto carry) {
        add(name + ", IPv4", link, '4',
            [=](text sender, text payload) { return carry(type_ipv4, udp4(sender, payload)); });
        add(name + ", IPv6", link, '6',
            [=](text sender, text payload) { return carry(type_ipv6, tcp6(sender, payload)); });
    };
    on_link("plain", link_ethernet, [](unsigned type, text ip) { return padded(ethernet(type, ip)); });
    for (const unsigned tag : {type_vlan, type_provider_vlan, type_old_double_vlan}) {
        on_link("a VLAN tag", link_ethernet,
                [=](unsigned type, text ip) { return padded(ethernet(tag, vlan_tag(type, ip))); });
    }
    on_link("four VLAN tags", link_ethernet, [](unsigned type, text ip) {
        return padded(ethernet(type_provider_vlan,
                               vlan_tag(type_vlan, vlan_tag(type_vlan, vlan_tag(type_vlan, vlan_tag(type, ip))))));
    });
    on_link("SNAP", link_ethernet, [](unsigned type, text ip) { return padded(ethernet_snap(type, ip)); });
    const auto ppp_number = [](unsigned type) { return type == type_ipv4 ? 0x21U : 0x57U; };
    on_link("PPPoE on Ethernet", link_ethernet,
            [=](unsigned type, text ip) { return padded(ethernet(type_pppoe, pppoe(ppp_number(type), ip))); });
    // The extension headers of IPv6.
    const auto extended = [&](std::string name, unsigned next, auto behind) {
        add(std::move(name), link_ethernet, '6', [=](text sender, text payload) {
            return padded(ethernet(type_ipv6, ipv6(sender, next, behind(udp(payload)))));
        });
    };
    extended("hop-by-hop options", protocol_hop_by_hop, [](text u) { return extension(protocol_udp, u); });
    extended("long destination options", protocol_destination, [](text u) { return extension(protocol_udp, u, 3); });
    extended("a routing header", protocol_routing, [](text u) { return routing(protocol_udp, u); });
    extended("authentication", protocol_authentication, [](text u) { return authentication(protocol_udp, u); });
    extended("a fragment that is all", protocol_fragment, [](text u) { return fragment6(protocol_udp, 0, u); });
    extended("all of them", protocol_hop_by_hop, [](text u) {
        return extension(
            protocol_destination,
            extension(protocol_routing,
                      routing(protocol_fragment,
                              fragment6(protocol_authentication, 0,
                                        authentication(protocol_destination, extension(protocol_udp, u, 1))))));
    });
    add("the first of several IPv6 fragments", link_ethernet, '6', [](text sender, text payload) {
        const std::string part = fragment6(protocol_udp, more_fragments6, udp(payload, 4000));
        return padded(ethernet(type_ipv6, ipv6(sender, protocol_fragment, part)));
    });
    add("segmentation offload of IPv6", link_ethernet, '6',
        [](text sender, text payload) { return ethernet(type_ipv6, ipv6(sender, protocol_tcp, tcp(payload), 0)); });
    // Other links.
    on_link("Linux cooked", link_sll, [](unsigned type, text ip) { return sll(type, ip); });
    on_link("Linux cooked, new", link_sll2, [](unsigned type, text ip) { return sll2(type, ip); });
    on_link("Linux cooked with a tag", link_sll,
            [](unsigned type, text ip) { return sll(type_vlan, vlan_tag(type, ip)); });
    on_link("PPP", link_ppp, [=](unsigned type, text ip) { return be16(ppp_number(type)) + ip; });
    on_link("PPP, short", link_ppp, [=](unsigned type, text ip) { return be8(ppp_number(type)) + ip; });
    on_link("PPP in HDLC", link_ppp_hdlc,
            [=](unsigned type, text ip) { return be16(0xff03) + be16(ppp_number(type)) + ip; });
    on_link("PPPoE", link_pppoe, [=](unsigned type, text ip) { return pppoe(ppp_number(type), ip); });
    add("raw IPv4", link_raw, '4', tcp4);
    add("raw IPv6", link_raw, '6', udp6);
    add("IPv4 by link type", link_ipv4, '4', udp4);
    add("IPv6 by link type", link_ipv6, '6', tcp6);
    const auto loopback = [&](unsigned link, byte_order order) {
        add("loopback, IPv4", link, '4', [=](text s, text p) { return number_bytes(2, 4, order) + udp4(s, p); });
        for (const unsigned family : {24U, 28U, 30U}) {
            add("loopback, IPv6", link, '6',
                [=](text s, text p) { return number_bytes(family, 4, order) + udp6(s, p); });
        }
    };
    loopback(link_null, byte_order::little);
    loopback(link_null, byte_order::big);
    loopback(link_loop, byte_order::big);
    return all;
}

/// Two frames of every good shape, sorted by their link: what a gate with `gate_patterns` must say of them.
struct sample_packet {
    std::string name, frame, sender, verdict;
};

[[nodiscard]] inline std::map<unsigned, std::vector<sample_packet>> good_samples() {
    std::map<unsigned, std::vector<sample_packet>> by_link;
    for (const frame_shape& shape : good_shapes()) {
        const std::string other = shape.sender.substr(0, shape.sender.size() - 1) + "2";
        auto& samples = by_link[shape.link];
        samples.push_back({shape.name, shape.frame(shape.sender, bad_payload), shape.sender, "BAD"});
        samples.push_back({shape.name, shape.frame(other, harmless_payload), other, "ACCEPT"});
    }
    return by_link;
}

[[nodiscard]] inline std::vector<std::string> frames_of(const std::vector<sample_packet>& samples) {
    std::vector<std::string> frames;
    for (const sample_packet& one : samples) frames.push_back(one.frame);
    return frames;
}

struct gate_verdict {
    std::string sender, said;
    friend bool operator==(const gate_verdict&, const gate_verdict&) = default;
    friend std::ostream& operator<<(std::ostream& out, const gate_verdict& one) {
        return out << one.sender << ' ' << one.said;
    }
};

/// The lines of a verdict file; their numbers must count up.
[[nodiscard]] inline std::vector<gate_verdict> verdicts_in(const std::string& text) {
    std::vector<gate_verdict> all;
    std::istringstream lines(text);
    std::optional<std::uint64_t> before;
    for (std::uint64_t index = 0; lines >> index; before = index) {
        gate_verdict one;
        lines >> one.sender >> one.said;
        EXPECT_TRUE(!before || index == *before + 1) << index;
        all.push_back(one);
    }
    EXPECT_TRUE(lines.eof()) << text;
    return all;
}

} // namespace everbloom::support
