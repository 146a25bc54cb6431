// `gate`: who sent a packet and what it carries, through every link, tag, extension and fragment; what cannot be decoded is counted.
// Where tshark is installed, it is asked for a second opinion.
#include "cli/gate_samples.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace everbloom::support {
namespace {

using nlohmann::json;

struct gate_run {
    json told;
    std::vector<gate_verdict> verdicts;
};

/// Judges a file of packets, exactly, with the patterns of the samples.
gate_run judge_file(const workbench& here, const std::string& file, std::vector<std::string> more = {}) {
    here.write("patterns", gate_patterns);
    std::vector<std::string> arguments{"gate",    "--patterns", "patterns",   "--packets", file,
                                       "--exact", "--json",     "--verdicts", "verdicts"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ran = here.run(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    if (ran.exit_code != 0) return {};
    gate_run done{json::parse(ran.out), verdicts_in(here.read("verdicts"))};
    EXPECT_EQ(done.told["packets"], done.verdicts.size());
    return done;
}

gate_run judge_frames(const workbench& here, unsigned link, const std::vector<std::string>& frames) {
    return judge_file(here, here.write("frames.pcap", pcap_file(link, frames)));
}

std::vector<gate_verdict> expected_of(const std::vector<sample_packet>& samples) {
    std::vector<gate_verdict> all;
    for (const sample_packet& one : samples) all.push_back({one.sender, one.verdict});
    return all;
}

void expect_verdicts(const std::vector<gate_verdict>& said, const std::vector<sample_packet>& samples, unsigned link) {
    ASSERT_EQ(said.size(), samples.size()) << link;
    for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(said[i].sender, samples[i].sender) << link << ", " << samples[i].name;
        EXPECT_EQ(said[i].said, samples[i].verdict) << link << ", " << samples[i].name;
    }
}

TEST(gate_packets, every_link_and_every_header_leads_to_sender_and_payload) {
    const workbench here;
    for (const auto& [link, samples] : good_samples()) {
        const gate_run done = judge_frames(here, link, frames_of(samples));
        expect_verdicts(done.verdicts, samples, link);
        EXPECT_EQ(done.told["undecodable"], 0) << link;
        EXPECT_EQ(done.told["cut_short"], 0) << link;
    }
}

TEST(gate_packets, all_kinds_of_captures_are_read_alike) {
    const workbench here;
    const auto samples = good_samples()[link_ethernet];
    const auto frames = frames_of(samples);
    std::vector<std::string> files;
    for (const byte_order order : {byte_order::little, byte_order::big}) {
        files.push_back(pcapng_file(link_ethernet, frames, order));
        for (const std::uint32_t magic : {0xa1b2c3d4U, 0xa1b23c4dU}) {
            files.push_back(pcap_file(link_ethernet, frames, {.order = order, .magic = magic}));
        }
    }
    for (const std::string& bytes : files) {
        here.write("capture", bytes);
        expect_verdicts(judge_file(here, "capture").verdicts, samples, link_ethernet);
        expect_verdicts(judge_file(here, "capture", {"--format", "pcap"}).verdicts, samples, link_ethernet);
    }
    ASSERT_EQ(here.shell("gzip -k capture").exit_code, 0);
    expect_verdicts(judge_file(here, "capture.gz").verdicts, samples, link_ethernet);
    const auto piped = here.run({"gate", "--patterns", "patterns", "--packets", "-", "--exact", "--verdicts", "piped"},
                                here.read("capture.gz"));
    EXPECT_EQ(piped.exit_code, 0) << piped.err;
    EXPECT_EQ(here.read("piped"), here.read("verdicts"));
}

TEST(gate_packets, later_fragments_and_other_protocols_carry_all_of_their_bytes) {
    const workbench here;
    // The first word is that of a transport header: behind the first fragment, and in ICMP, it is payload like any other.
    const std::string ports = udp(harmless_payload);
    const auto done =
        judge_frames(here, link_ethernet,
                     {ethernet(type_ipv4, ipv4("10.0.0.1", protocol_udp, ports, {.fragment = 1})),
                      ethernet(type_ipv4, ipv4("10.0.0.2", protocol_tcp, ports, {.fragment = 5 | more_fragments})),
                      ethernet(type_ipv6, ipv6("2001:db8::3", protocol_fragment, fragment6(protocol_udp, 8, ports))),
                      ethernet(type_ipv6, ipv6("2001:db8::4", protocol_fragment,
                                               fragment6(protocol_tcp, 80 | more_fragments6, ports))),
                      ethernet(type_ipv4, ipv4("10.0.0.5", protocol_icmp, ports)),
                      ethernet(type_ipv4, ipv4("10.0.0.6", protocol_tcp, be32(1), {.fragment = 9})),
                      ethernet(type_ipv6, ipv6("2001:db8::7", protocol_nothing, "")),
                      ethernet(type_ipv4, ipv4("10.0.0.8", protocol_udp, udp("")))});
    EXPECT_EQ(done.verdicts, (std::vector<gate_verdict>{{"10.0.0.1", "BAD"},
                                                        {"10.0.0.2", "BAD"},
                                                        {"2001:db8::3", "BAD"},
                                                        {"2001:db8::4", "BAD"},
                                                        {"10.0.0.5", "BAD"},
                                                        {"10.0.0.6", "ACCEPT"},
                                                        {"2001:db8::7", "ACCEPT"},
                                                        {"10.0.0.8", "ACCEPT"}}));
}

TEST(gate_packets, bad_data_is_found_across_packets_and_words) {
    const workbench here;
    const auto sent = [](const std::string& payload) {
        return padded(ethernet(type_ipv4, ipv4("10.0.0.1", protocol_udp, udp(payload))));
    };
    const auto other = padded(ethernet(type_ipv4, ipv4("10.0.0.2", protocol_udp, udp(be32(7)))));
    const auto done = judge_frames(
        here, link_ethernet,
        {sent(bad_payload.substr(0, 3)), other, sent(bad_payload.substr(3, 2)), sent(bad_payload.substr(5))});
    EXPECT_EQ(done.verdicts.back(), (gate_verdict{"10.0.0.1", "BAD"}));
    EXPECT_EQ(done.told["accepted"], 3);
}

struct refused_frame {
    std::string name, reason, frame;
    unsigned link = link_ethernet;
};

std::vector<refused_frame> refused_frames() {
    const std::string good = ipv4("10.0.0.1", protocol_udp, udp(bad_payload));
    std::string five_tags = vlan_tag(type_ipv4, good);
    for (int i = 0; i < 4; ++i) five_tags = vlan_tag(type_vlan, five_tags);
    const auto v4 = [](unsigned protocol, const std::string& carried, const ipv4_shape& shape = {}) {
        return ethernet(type_ipv4, ipv4("10.0.0.1", protocol, carried, shape));
    };
    const auto v6 = [](unsigned next, const std::string& carried) {
        return ethernet(type_ipv6, ipv6("2001:db8::1", next, carried));
    };
    return {
        {"ARP", "not_ip", padded(ethernet(type_arp, std::string(28, '\0')))},
        {"ARP behind a tag", "not_ip", padded(ethernet(type_vlan, vlan_tag(type_arp, std::string(28, '\0'))))},
        {"five tags", "not_ip", ethernet(type_vlan, five_tags)},
        {"spanning tree", "not_ip", padded(ethernet(38, "\x42\x42\x03" + std::string(35, '\0')))},
        {"three bytes of LLC", "not_ip", padded(ethernet(3, "\xf0\xf0\x03"))},
        {"SNAP that carries ARP", "not_ip", padded(ethernet_snap(type_arp, std::string(28, '\0')))},
        {"PPP that carries its own control", "not_ip", be16(0xc021) + "hello", link_ppp},
        {"loopback of a family unheard of", "not_ip", be32(77) + good, link_null},
        {"cooked ARP", "not_ip", sll(type_arp, std::string(28, '\0')), link_sll},
        {"a runt", "damaged", "too short"},
        {"nothing at all", "damaged", ""},
        {"IPv6 that says IPv4", "damaged", ethernet(type_ipv4, ipv6("2001:db8::1", protocol_udp, udp(bad_payload)))},
        {"IPv4 that says IPv6", "damaged", ethernet(type_ipv6, good + std::string(40, '\0'))},
        {"version 5", "damaged", "\x55" + good.substr(1), link_raw},
        {"a header of four words", "damaged", v4(protocol_udp, udp(bad_payload), {.version_and_words = 0x44})},
        {"a header longer than the packet", "damaged", v4(protocol_udp, "", {.version_and_words = 0x4f})},
        {"a total shorter than the header", "damaged", v4(protocol_udp, udp(bad_payload), {.total_bytes = 19})},
        {"TCP of four words", "damaged", v4(protocol_tcp, tcp(bad_payload, "", 4))},
        {"TCP longer than the packet", "damaged", v4(protocol_tcp, tcp(bad_payload, "", 15))},
        {"TCP in too little room", "damaged", v4(protocol_tcp, std::string(19, '\x50'))},
        {"TCP cut in two by fragments", "damaged",
         v4(protocol_tcp, tcp("").substr(0, 8), {.fragment = more_fragments})},
        {"UDP of seven bytes", "damaged", v4(protocol_udp, udp(bad_payload, 7))},
        {"UDP longer than the packet", "damaged", v4(protocol_udp, udp(bad_payload, 17))},
        {"UDP in too little room", "damaged", v4(protocol_udp, "seven b")},
        {"options longer than the packet", "damaged",
         v6(protocol_hop_by_hop, be8(protocol_udp) + be8(9) + std::string(70, '\0'))},
        {"a fragment header of seven bytes", "damaged", v6(protocol_fragment, std::string(7, '\0'))},
        {"an authentication header past the end", "damaged",
         v6(protocol_authentication, be8(protocol_udp) + be8(255) + std::string(30, '\0'))},
    };
}

TEST(gate_packets, what_is_not_ip_or_contradicts_itself_is_counted_and_refused) {
    const workbench here;
    for (const refused_frame& one : refused_frames()) {
        const auto done = judge_frames(here, one.link, {one.frame});
        EXPECT_EQ(done.verdicts, (std::vector<gate_verdict>{{"-", "REJECT"}})) << one.name;
        EXPECT_EQ(done.told["undecodable"], 1) << one.name;
        EXPECT_EQ(done.told["undecodable_reasons"][one.reason], 1) << one.name << done.told;
    }
    const auto passed = judge_file(here, "frames.pcap", {"--on-undecodable", "pass"});
    EXPECT_EQ(passed.verdicts, (std::vector<gate_verdict>{{"-", "ACCEPT"}}));
    EXPECT_EQ(passed.told["undecodable"], 1);
}

TEST(gate_packets, a_frame_cut_by_the_capture_is_used_as_far_as_it_goes) {
    const workbench here;
    for (const auto& [link, samples] : good_samples()) {
        std::string file = pcap_head(link);
        std::vector<const sample_packet*> of_packet;
        for (const sample_packet& one : samples) {
            for (std::size_t kept = 0; kept <= one.frame.size(); ++kept) {
                file += pcap_record(one.frame.substr(0, kept), one.frame.size());
                of_packet.push_back(&one);
            }
        }
        here.write("cut.pcap", file);
        const gate_run done = judge_file(here, "cut.pcap");
        ASSERT_EQ(done.verdicts.size(), of_packet.size());
        const sample_packet* current = nullptr;
        bool is_known = false;
        for (std::size_t i = 0; i < of_packet.size(); ++i) {
            if (of_packet[i] != current) is_known = false; // the next sample begins with none of its bytes
            current = of_packet[i];
            const std::string& sender = done.verdicts[i].sender;
            if (sender == "-") {
                EXPECT_FALSE(is_known) << current->name << ": more bytes, and less is known";
                EXPECT_EQ(done.verdicts[i].said, "REJECT");
            } else {
                EXPECT_EQ(sender, current->sender) << current->name;
                is_known = true;
            }
        }
        EXPECT_EQ(done.told["undecodable"], done.told["undecodable_reasons"]["headers_cut"]) << done.told;
        EXPECT_GT(done.told["cut_short"], 0);
    }
}

TEST(gate_packets, frames_with_any_byte_changed_are_judged_or_counted) {
    const workbench here;
    for (const auto& [link, samples] : good_samples()) {
        std::vector<std::string> frames;
        for (const sample_packet& one : samples) {
            for (std::size_t at = 0; at < one.frame.size(); ++at) {
                for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
                    frames.push_back(one.frame);
                    frames.back()[at] = static_cast<char>(static_cast<unsigned char>(frames.back()[at]) ^ change);
                }
            }
        }
        const gate_run done = judge_frames(here, link, frames);
        EXPECT_EQ(done.verdicts.size(), frames.size());
        EXPECT_GT(done.told["undecodable"], 0);
        std::uint64_t counted = 0;
        for (const auto& reason : done.told["undecodable_reasons"]) counted += reason.get<std::uint64_t>();
        EXPECT_EQ(done.told["undecodable"], counted);
    }
}

// The second opinion.

bool has_tshark(const workbench& here) { return here.shell("command -v tshark").exit_code == 0; }

struct second_opinion {
    std::string sender;  // "-" if there is none
    std::string payload; // of TCP or UDP, in hexadecimal digits
};

std::vector<second_opinion> ask_tshark(const workbench& here, const std::string& file) {
    const auto ran = here.shell("HOME=. tshark -r '" + file +
                                "' -o ip.defragment:FALSE -o ipv6.defragment:FALSE -o tcp.desegment_tcp_streams:FALSE "
                                "-T fields -E occurrence=f -e frame.protocols -e ip.src -e ipv6.src -e tcp.payload "
                                "-e udp.payload");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::vector<second_opinion> all;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        std::array<std::string, 5> fields;
        std::istringstream words(line);
        for (std::string& field : fields) std::getline(words, field, '\t');
        // An address may also stand in what the packet carries (ICMP tells of others' packets): the outer protocol decides.
        const std::size_t v4 = (":" + fields[0] + ":").find(":ip:");
        const std::size_t v6 = (":" + fields[0] + ":").find(":ipv6:");
        const std::string sender = v4 == v6 ? "-" : fields[v4 < v6 ? 1 : 2];
        all.push_back({sender, fields[3].empty() ? fields[4] : fields[3]});
    }
    return all;
}

/// As the lines of a text file of packets; without those that carry nothing.
std::string as_text_packets(const std::vector<second_opinion>& packets) {
    std::string lines;
    for (const second_opinion& one : packets) {
        if (one.payload.empty() || one.payload.size() % 8 != 0) continue;
        lines += one.sender;
        for (std::size_t at = 0; at < one.payload.size(); at += 8) lines += " " + one.payload.substr(at, 8);
        lines += "\n";
    }
    return lines;
}

TEST(gate_packets, an_independent_decoder_comes_to_the_same_verdicts) {
    const workbench here;
    for (const auto& [link, all_samples] : good_samples()) {
        std::vector<sample_packet> samples;
        for (const sample_packet& one : all_samples) {
            // tshark shows what follows a UDP datagram within IP as part of it, and IPv6 without a length as empty.
            if (!one.name.starts_with("filling within") && one.name != "segmentation offload of IPv6")
                samples.push_back(one);
        }
        here.write("samples.pcap", pcap_file(link, frames_of(samples)));
        const auto ours = judge_file(here, "samples.pcap").verdicts;
        if (has_tshark(here)) {
            here.write("theirs", as_text_packets(ask_tshark(here, "samples.pcap")));
            EXPECT_EQ(ours, judge_file(here, "theirs", {"--format", "text"}).verdicts) << link;
        }
        EXPECT_EQ(ours, expected_of(samples)) << link;
    }
}

TEST(gate_packets, real_traffic_has_the_senders_that_an_independent_decoder_finds) {
    const workbench here;
    std::vector<std::string> files{
        here.write("made.pcap", pcap_file(link_ethernet, frames_of(good_samples()[link_ethernet])))};
    std::error_code none; // the captures are not part of the project
    const auto folder = std::filesystem::path(EVERBLOOM_SOURCE_DIR) / "../shared/data/pcap";
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) files.push_back(entry.path().string());
    for (const std::string& file : files) {
        const gate_run done = judge_file(here, file);
        std::uint64_t known = 0;
        for (const gate_verdict& one : done.verdicts) known += one.sender != "-" ? 1 : 0;
        EXPECT_GT(known, 0U) << file;
        EXPECT_EQ(done.told["undecodable"], done.verdicts.size() - known) << file;
        if (!has_tshark(here)) continue;
        const auto theirs = ask_tshark(here, file);
        ASSERT_EQ(theirs.size(), done.verdicts.size()) << file;
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            ASSERT_EQ(done.verdicts[i].sender, theirs[i].sender) << file << ", packet " << i + 1;
        }
    }
}

} // namespace
} // namespace everbloom::support
