// Real traffic: every packet of a sender that is not banned and contains the pattern, at any offset, is bad. A decoder and a search of their
// own decide what a capture contains. The capture is not part of the project; one of the same shape is made here, and always judged.
#include "cli/gate_bench.hpp"
#include "support/dice.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace everbloom::support {
namespace {

const std::string gnutella_text = "GNUTELLA";

struct seen_packet {
    std::string sender;  // "-" if it is not IPv4
    std::string payload; // of TCP or UDP, otherwise of IP
    std::string flow;    // of TCP, otherwise empty
    std::uint32_t sequence = 0;
};

std::uint32_t big_number(const std::string& bytes, std::size_t at, std::size_t width) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < width; ++i) number = number << 8U | static_cast<unsigned char>(bytes.at(at + i));
    return number;
}

/// IP on Ethernet, written for this test and for captures without errors.
seen_packet decode_plainly(const std::string& frame) {
    constexpr std::size_t ethernet_bytes = 14;
    if (frame.size() >= ethernet_bytes + 40 && big_number(frame, 12, 2) == type_ipv6) {
        std::array<char, INET6_ADDRSTRLEN> sender{};
        ::inet_ntop(AF_INET6, frame.data() + ethernet_bytes + 8, sender.data(), sender.size());
        EXPECT_EQ(frame.find(gnutella_text), std::string::npos); // extension headers are for the gate to know
        return {sender.data(), "", ""};
    }
    if (frame.size() < ethernet_bytes + 20 || big_number(frame, 12, 2) != type_ipv4) return {"-", "", ""};
    const std::string ip = frame.substr(ethernet_bytes, big_number(frame, ethernet_bytes + 2, 2));
    const std::size_t ip_header = 4 * (big_number(ip, 0, 1) & 15U);
    const unsigned protocol = big_number(ip, 9, 1);
    seen_packet seen;
    for (std::size_t i = 12; i < 16; ++i) seen.sender += (i == 12 ? "" : ".") + std::to_string(big_number(ip, i, 1));
    const bool is_later = (big_number(ip, 6, 2) & 0x1fffU) != 0;
    const std::string carried = ip.substr(ip_header);
    if (is_later) {
        seen.payload = carried;
    } else if (protocol == protocol_tcp) {
        seen.payload = carried.substr(4 * (big_number(carried, 12, 1) >> 4U));
        seen.flow = ip.substr(12, 8) + carried.substr(0, 4);
        seen.sequence = big_number(carried, 4, 4);
    } else if (protocol == protocol_udp) {
        seen.payload = carried.substr(8, big_number(carried, 4, 2) - 8);
    } else if (protocol == protocol_icmp && (carried[0] == 3 || carried[0] == 11)) {
        seen.payload = ""; // somebody else's packet
    } else {
        seen.payload = carried;
    }
    return seen;
}

std::vector<seen_packet> packets_of(const std::string& capture) {
    const auto little = [&](std::size_t at) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(capture.at(at)) |
                                          static_cast<unsigned char>(capture.at(at + 1)) << 8U |
                                          static_cast<unsigned char>(capture.at(at + 2)) << 16U |
                                          static_cast<unsigned>(static_cast<unsigned char>(capture.at(at + 3))) << 24U);
    };
    EXPECT_EQ(little(0), 0xa1b2c3d4U);
    EXPECT_EQ(little(20), link_ethernet);
    std::vector<seen_packet> all;
    for (std::size_t at = 24; at < capture.size(); at += 16 + little(at + 8)) {
        if (at + 16 > capture.size() || at + 16 + little(at + 8) > capture.size()) { // cut off
            all.push_back({"-", "", ""});
            break;
        }
        all.push_back(decode_plainly(capture.substr(at + 16, little(at + 8))));
    }
    return all;
}

/// The last bytes of a stream that may begin the pattern.
std::string tail_of(const std::string& data) {
    return data.size() < gnutella_text.size() ? data : data.substr(data.size() - (gnutella_text.size() - 1));
}

/// What the rules say, by searching strings. Counts the packets that contain the whole pattern.
std::vector<gate_verdict> expected_verdicts(const std::vector<seen_packet>& packets, std::size_t& containing) {
    std::map<std::string, int> strikes;
    std::map<std::string, std::string> sender_tail;
    std::map<std::string, std::pair<std::uint32_t, std::string>> flow_tail; // next number, last bytes
    std::vector<gate_verdict> all;
    for (const seen_packet& one : packets) {
        if (one.sender == "-" || strikes[one.sender] == 3) {
            all.push_back({one.sender, "REJECT"});
            continue;
        }
        const bool contains = one.payload.find(gnutella_text) != std::string::npos;
        containing += contains ? 1 : 0;
        std::string& tail = sender_tail[one.sender];
        bool is_bad = contains || (tail + one.payload).find(gnutella_text) != std::string::npos;
        if (!one.flow.empty() && !one.payload.empty()) {
            auto& [next, bytes] = flow_tail[one.flow];
            if (next != one.sequence) bytes.clear();
            is_bad = is_bad || (bytes + one.payload).find(gnutella_text) != std::string::npos;
            next = one.sequence + static_cast<std::uint32_t>(one.payload.size());
            bytes = is_bad ? "" : tail_of(bytes + one.payload);
        }
        tail = is_bad ? "" : tail_of(tail + one.payload);
        strikes[one.sender] += is_bad ? 1 : 0;
        all.push_back({one.sender, is_bad ? "BAD" : "ACCEPT"});
    }
    return all;
}

std::string made_capture() {
    dice random(26);
    std::map<std::string, std::uint32_t> next;
    std::vector<std::string> frames;
    std::string rest; // of a pattern that the sender of the next packet goes on with
    std::string sender;
    for (int i = 0; i < 4000; ++i) {
        if (rest.empty()) sender = "10.0." + std::to_string(random.below(2)) + "." + std::to_string(random.below(200));
        std::string payload = rest;
        rest.clear();
        for (std::uint64_t at = random.below(60); at > 0; --at) payload += static_cast<char>('A' + random.below(26));
        if (random.one_in(9)) payload += gnutella_text + std::string(random.below(5), '.');
        if (random.one_in(12)) {
            const std::size_t cut = 1 + random.below(gnutella_text.size() - 1);
            payload += gnutella_text.substr(0, cut);
            rest = gnutella_text.substr(cut);
        }
        std::string carried;
        if (sender.starts_with("10.0.1.")) {
            carried = ipv4(sender, protocol_udp, udp(payload));
        } else {
            std::uint32_t& sequence = next[sender];
            carried = ipv4(sender, protocol_tcp, tcp_at({.sequence = sequence}, payload));
            sequence += static_cast<std::uint32_t>(payload.size());
        }
        frames.push_back(padded(ethernet(type_ipv4, carried)));
    }
    return pcap_file(link_ethernet, frames);
}

TEST(gate_gnutella, every_packet_with_the_pattern_at_any_offset_is_bad) {
    const gate_bench here;
    std::vector<std::string> files{here.write("made.pcap", made_capture())};
    const auto real = std::filesystem::path(EVERBLOOM_SOURCE_DIR) / "../shared/data/pcap/gnutella.pcap";
    if (std::filesystem::exists(real)) files.push_back(real.string());
    for (const std::string& file : files) {
        std::ifstream stream(std::filesystem::path(file).is_absolute() ? file : here / file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        std::size_t containing = 0;
        const auto expected = expected_verdicts(packets_of(bytes), containing);
        EXPECT_GT(containing, 40U) << file;
        const auto said = here.judge_file(file, "\"GNUTELLA\"\n");
        ASSERT_EQ(said.verdicts.size(), expected.size()) << file;
        std::size_t bad = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(said.verdicts[i], expected[i]) << file << ", packet " << i + 1;
            bad += said.verdicts[i].said == "BAD" ? 1 : 0;
        }
        EXPECT_GE(bad, containing) << file;
    }
}

} // namespace
} // namespace everbloom::support
