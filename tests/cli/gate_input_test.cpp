// `gate`: files of packets as they come: raw, text and captures; cut off, damaged, absurd, of the wrong kind.
#include "cli/gate_samples.hpp"
#include "support/rounds.hpp"

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

program_result gate_reads(const workbench& here, const std::string& bytes, std::vector<std::string> more = {}) {
    here.write("packets", bytes);
    more.insert(more.begin(), {"gate", "--exact", "--json", "--packets", "packets", "--verdicts", "verdicts"});
    return here.run(more);
}

std::vector<gate_verdict> gate_says(const workbench& here, const std::string& bytes,
                                    std::vector<std::string> more = {}) {
    here.write("patterns", gate_patterns);
    more.insert(more.end(), {"--patterns", "patterns"});
    const auto ran = gate_reads(here, bytes, more);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.exit_code == 0 ? verdicts_in(here.read("verdicts")) : std::vector<gate_verdict>{};
}

/// A number of the summary.
std::uint64_t told_by(const program_result& ran, const char* key) {
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.exit_code == 0 ? nlohmann::json::parse(ran.out)[key].get<std::uint64_t>() : 0;
}

/// Two short frames: what a test that runs the program for every byte can afford.
std::vector<std::string> two_frames() {
    return {ethernet(type_vlan, vlan_tag(type_ipv4, ipv4("10.0.0.1", protocol_udp, udp("abcd")))),
            ethernet(type_ipv4, ipv4("10.0.0.2", protocol_udp, udp("")))};
}

/// Every byte is tried by a program of its own: all of them with --long, otherwise every fifth.
std::size_t bytes_apart() { return rounds(1) > 1 ? 1 : 5; }

TEST(gate_input, raw_packets_are_eight_bytes_each) {
    const workbench here;
    const std::string raw = address_bytes("10.0.0.1") + bad_payload.substr(0, 4) + address_bytes("200.0.0.2") +
                            be32(0x55555555) + address_bytes("10.0.0.1") + bad_payload.substr(4);
    const std::vector<gate_verdict> expected{{"10.0.0.1", "ACCEPT"}, {"200.0.0.2", "BAD"}, {"10.0.0.1", "BAD"}};
    EXPECT_EQ(gate_says(here, raw), expected);
    EXPECT_EQ(gate_says(here, raw, {"--format", "raw"}), expected);
    auto and_a_rest = expected;
    and_a_rest.push_back({"-", "REJECT"});
    for (std::size_t more = 1; more < 8; ++more) {
        EXPECT_EQ(gate_says(here, raw + std::string(more, '\x7f')), and_a_rest);
        const auto ran = gate_reads(here, raw + std::string(more, '\x7f'));
        EXPECT_NE(ran.err.find("incomplete packet"), std::string::npos) << ran.err;
    }
}

TEST(gate_input, many_raw_packets_arrive_in_order) {
    const workbench here;
    std::string raw;
    std::vector<gate_verdict> expected;
    for (unsigned i = 0; i < 100'000; ++i) {
        raw += be32(0x0b000000U + i) + be32(i % 1000 == 0 ? 0x55555555U : i);
        expected.push_back(
            {"11." + std::to_string(i >> 16U) + "." + std::to_string(i >> 8U & 255U) + "." + std::to_string(i & 255U),
             i % 1000 == 0 ? "BAD" : "ACCEPT"});
    }
    EXPECT_EQ(gate_says(here, raw), expected);
}

TEST(gate_input, text_is_read_in_all_its_spellings) {
    const workbench here;
    EXPECT_EQ(gate_says(here, "# who     what\n"
                              "10.0.0.1 badc0de1 badc0de2\n"
                              "\n"
                              "  10.0.0.2\t0xBADC0DE1\r\n"
                              "\t# in between\r\n"
                              "2001:db8::3 55555555\n"
                              "2001:DB8:0::4 5\n"
                              "00001010000000000000000000000101 01010101010101010101010101010101\n"
                              "0000101000000000000000000000011001010101010101010101010101010101\n"
                              "00001010000000000000000000000010 10111010110111000000110111100010"),
              (std::vector<gate_verdict>{{"10.0.0.1", "BAD"},
                                         {"10.0.0.2", "ACCEPT"},
                                         {"2001:db8::3", "BAD"},
                                         {"2001:db8::4", "ACCEPT"},
                                         {"10.0.0.5", "BAD"},
                                         {"10.0.0.6", "BAD"},
                                         {"10.0.0.2", "BAD"}}));
}

TEST(gate_input, a_malformed_line_is_named_by_file_and_number) {
    const workbench here;
    const auto refused = [&](const std::string& line, std::string_view words) {
        expect_trouble(gate_reads(here, "10.0.0.1 1\n\n" + line + "\n10.0.0.2 2\n"), words);
        expect_trouble(gate_reads(here, "10.0.0.1 1\n\n" + line, {"--format", "text"}), words);
    };
    refused("10.0.0 deadbeef", "packets:3: '10.0.0' is not an IP address");
    refused("10.0.0.256 deadbeef", "packets:3: '10.0.0.256' is not an IP address");
    refused("10.0.0.1", "packets:3: no data after the address");
    refused("10.0.0.1 deadbeef deadbeefs", "packets:3: 'deadbeefs' is not a word");
    refused("10.0.0.1 deadbeef0", "'deadbeef0' is not a word");
    refused("10.0.0.1 0x", "'0x' is not a word");
    refused(std::string(32, '0'), "is not two words of 32 binary digits");
    refused(std::string(32, '0') + " " + std::string(31, '1'), "is not two words of 32 binary digits");
    refused(std::string(63, '0') + "2", "is not two words of 32 binary digits");
    refused(std::string(64, '0') + " 1", "is not two words of 32 binary digits");
    refused(std::string(65, '0'), "is not an IP address");
    refused("what", "10.0.0.7 deadbeef"); // how a line looks
    expect_trouble(gate_reads(here, "10.0.0.1 1\n10.0.0.1 \x1b[31m\n", {"--format", "text"}),
                   R"('\x1b[31m' is not a word)");
    expect_trouble(gate_reads(here, "10.0.0.1 1\n" + std::string((1 << 20) + 2, 'a')), "packets:2: the line is longer");
    expect_trouble(gate_reads(here, std::string("10.0.0.1 1\n\0", 12), {"--format", "text"}), "packets:2: ");
}

TEST(gate_input, a_line_may_carry_many_words) {
    const workbench here;
    std::string line = "10.0.0.1";
    for (int i = 0; i < 100'000; ++i) line += " 1";
    EXPECT_EQ(gate_says(here, line + " 55555555\n"), (std::vector<gate_verdict>{{"10.0.0.1", "BAD"}}));
    line.clear();
    for (int i = 0; i < 8; ++i) line += "10.0.0.1" + std::string((1 << 20) - 20, ' ') + "1\n";
    EXPECT_EQ(gate_says(here, line).size(), 8U);
}

TEST(gate_input, an_empty_file_has_no_packets) {
    const workbench here;
    for (const std::string format : {"auto", "raw", "text", "pcap"}) {
        EXPECT_EQ(told_by(gate_reads(here, "", {"--format", format}), "packets"), 0U) << format;
    }
    EXPECT_EQ(told_by(gate_reads(here, pcap_file(link_ethernet, {})), "packets"), 0U);
    EXPECT_EQ(told_by(gate_reads(here, pcapng_file(link_ethernet, {})), "packets"), 0U);
    expect_trouble(here.run({"gate", "--packets", "nowhere"}), "nowhere");
}

TEST(gate_input, a_capture_that_is_cut_off_loses_its_last_packet_only) {
    const workbench here;
    const auto frames = two_frames();
    const std::string whole = pcap_file(link_ethernet, frames);
    const std::size_t head = pcap_head(link_ethernet).size();
    const std::size_t first = head + pcap_record(frames[0]).size();
    for (std::size_t kept = 1; kept < whole.size(); kept += bytes_apart()) {
        const auto ran = gate_reads(here, whole.substr(0, kept), {"--format", "pcap"});
        if (kept < head) {
            expect_trouble(ran, "packets: not a readable capture");
            continue;
        }
        const bool is_between = kept == head || kept == first;
        EXPECT_EQ(told_by(ran, "accepted"), kept < first ? 0U : 1U) << kept;
        EXPECT_EQ(told_by(ran, "undecodable"), is_between ? 0U : 1U) << kept;
        EXPECT_EQ(ran.err.find("truncated in packet") == std::string::npos, is_between) << kept << ran.err;
    }
}

TEST(gate_input, a_pcapng_that_is_cut_off_is_read_to_there_or_refused) {
    const workbench here;
    const std::string whole = pcapng_file(link_ethernet, two_frames());
    std::uint64_t most = 0;
    for (std::size_t kept = 1; kept < whole.size(); kept += bytes_apart()) {
        const auto ran = gate_reads(here, whole.substr(0, kept), {"--format", "pcap"});
        ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 2) << kept << ran.err;
        if (ran.exit_code == 0) most = told_by(ran, "accepted");
    }
    EXPECT_EQ(most, 1U);
}

TEST(gate_input, a_capture_with_any_byte_changed_is_read_or_refused_in_words) {
    const workbench here;
    for (const std::string& whole :
         {pcap_file(link_ethernet, two_frames()), pcapng_file(link_ethernet, two_frames())}) {
        for (std::size_t at = 0; at < whole.size(); at += bytes_apart()) {
            std::string changed = whole;
            changed[at] = static_cast<char>(~changed[at]);
            const auto ran = gate_reads(here, changed, {"--format", "pcap"});
            ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 2) << at << ran.err;
            EXPECT_TRUE(ran.exit_code == 0 || ran.err.starts_with("everbloom: packets: ")) << at << ran.err;
        }
    }
}

TEST(gate_input, absurd_lengths_are_refused_by_packet) {
    const workbench here;
    const std::string good = pcap_file(link_ethernet, two_frames());
    for (const std::uint64_t absurd : {0x00100000ULL, 0x7fffffffULL, 0x80000000ULL, 0xffffffffULL}) {
        const auto number = [](std::uint64_t value) { return number_bytes(value, 4, byte_order::little); };
        const std::string record = number(1) + number(1) + number(absurd) + number(absurd) + std::string(2000, 'x');
        expect_trouble(gate_reads(here, good + record), "packets: packet 3 cannot be read");
        for (const std::uint32_t longest : {0U, 0xffffffffU}) {
            const auto ran = gate_reads(here, pcap_head(link_ethernet, {.longest_kept = longest}) + record);
            expect_trouble(ran, "packets: packet 1 cannot be read");
        }
    }
    // pcapng says the length of a block twice; here it says something else each time.
    std::string block = pcapng_file(link_ethernet, two_frames());
    block.replace(block.size() - 4, 4, "\xff\xff\xff\x7f");
    expect_trouble(gate_reads(here, block), "packets: packet 2 cannot be read");
}

TEST(gate_input, unsupported_link_types_are_named) {
    const workbench here;
    const auto frames = two_frames();
    expect_trouble(gate_reads(here, pcap_file(link_wifi, frames)), "link type 105 (IEEE802_11) is not supported");
    expect_trouble(gate_reads(here, pcapng_file(link_wifi, frames)), "link type 105 (IEEE802_11) is not supported");
    expect_trouble(gate_reads(here, pcap_file(65000, frames)), "link type 65000 is not supported");
    expect_trouble(gate_reads(here, pcapng_file(link_ethernet, frames) + pcapng_interface(link_wifi)),
                   "packets: packet 3 cannot be read");
}

TEST(gate_input, what_is_no_capture_is_not_read_as_one) {
    const workbench here;
    expect_trouble(gate_reads(here, "10.0.0.1 1\n", {"--format", "pcap"}), "packets: not a readable capture");
    expect_trouble(here.run({"gate", "--packets", here.path().string()}), "Is a directory");
    const std::string zipped_half = [&] {
        here.write("half", pcap_file(link_ethernet, two_frames()));
        EXPECT_EQ(here.shell("gzip -k half").exit_code, 0);
        return here.read("half.gz").substr(0, 60);
    }();
    expect_trouble(gate_reads(here, zipped_half), "the gzip data ends too early");
}

TEST(gate_input, an_interface_that_is_not_there_is_named) {
    const workbench here;
    expect_trouble(here.run({"gate", "--interface", "no such thing"}), "'no such thing'");
}

} // namespace
} // namespace everbloom::support
