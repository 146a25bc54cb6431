// TCP streams at the gate: repeated, overlapping, missing and late segments, many connections; and ICMP errors, which quote packets.
#include "cli/gate_bench.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"

namespace everbloom::support {
namespace {

const std::string needle_pattern = "\"needle\"\n";

TEST(gate_tcp, a_pattern_is_found_in_the_stream_of_one_of_several_connections) {
    const gate_bench here;
    const auto said =
        here.judge({tcp_frame({.sequence = 100}, "xxnee"), tcp_frame({.sequence = 900, .port = 5}, "other"),
                    udp_frame("more"), tcp_frame({.sequence = 105}, "dle")},
                   needle_pattern);
    EXPECT_EQ(said.letters, "AAAB");
    EXPECT_EQ(said.summary["tcp"]["connections"], 2);
    // Spread over connections it is found as well, in the order of arrival.
    EXPECT_EQ(
        here.judge({tcp_frame({.sequence = 1}, "nee"), tcp_frame({.sequence = 7, .port = 5}, "dle")}, needle_pattern)
            .letters,
        "AB");
}

TEST(gate_tcp, sequence_numbers_wrap_around) {
    const gate_bench here;
    const auto said = here.judge({tcp_frame({.sequence = 0xfffffffeU}, "nee"), udp_frame("."),
                                  tcp_frame({.sequence = 1}, "dle"), tcp_frame({.sequence = 0xfffffffeU}, "nee")},
                                 needle_pattern);
    EXPECT_EQ(said.letters, "AABA");
    EXPECT_EQ(said.summary["tcp"]["gaps"], 0);
    EXPECT_EQ(said.summary["tcp"]["repeated"], 1);
}

TEST(gate_tcp, a_repeated_segment_is_not_data_again) {
    const gate_bench here;
    // Twice "need" would not make a pattern of it, but "need" + "need" + "le" has lost the place where "le" belongs.
    const auto said = here.judge(
        {tcp_frame({.sequence = 1}, "need"), tcp_frame({.sequence = 1}, "need"), tcp_frame({.sequence = 5}, "le")},
        needle_pattern);
    EXPECT_EQ(said.letters, "AAB");
    EXPECT_EQ(said.summary["tcp"]["repeated"], 1);
}

TEST(gate_tcp, repeated_bad_data_is_bad_and_no_strike) {
    const gate_bench here;
    std::vector<std::string> frames{tcp_frame({.sequence = 1}, "nee"), tcp_frame({.sequence = 4}, "dle")};
    for (int i = 0; i < 5; ++i) frames.push_back(tcp_frame({.sequence = 4}, "dle")); // the refused half
    frames.push_back(tcp_frame({.sequence = 7}, "a needle"));
    for (int i = 0; i < 5; ++i) frames.push_back(tcp_frame({.sequence = 7}, "a needle"));
    frames.push_back(tcp_frame({.sequence = 1}, "nee"));
    frames.push_back(tcp_frame({.sequence = 15}, "hay"));
    const auto said = here.judge(frames, needle_pattern);
    EXPECT_EQ(said.letters, "ABBBBBBBBBBBBAA");
    EXPECT_EQ(said.summary["strikes"], 2);
    EXPECT_EQ(said.summary["repeated_bad"], 10);
    // The same with words, which are found at word boundaries.
    const std::vector<std::string> words{tcp_frame({.sequence = 1}, "aaaabbbb"), tcp_frame({.sequence = 1}, "aaaabbbb"),
                                         tcp_frame({.sequence = 5}, "bbbb"), tcp_frame({.sequence = 9}, "cccc")};
    EXPECT_EQ(here.judge(words, "62626262\n").letters, "BBBA");
}

TEST(gate_tcp, old_bytes_with_other_contents_do_not_pass) {
    const gate_bench here;
    // What was harmless the first time comes again with a pattern in it: refused, whatever the receiver makes of it.
    const auto said = here.judge({tcp_frame({.sequence = 1}, "harmless"), tcp_frame({.sequence = 1}, "a needle"),
                                  tcp_frame({.sequence = 1}, "a needle and"), tcp_frame({.sequence = 13}, ".")},
                                 needle_pattern);
    EXPECT_EQ(said.letters, "ABBA");
    EXPECT_EQ(said.summary["strikes"], 0);
}

TEST(gate_tcp, overlapping_segments_are_trimmed) {
    const gate_bench here;
    const auto said = here.judge({tcp_frame({.sequence = 1}, "xnee"), tcp_frame({.sequence = 3}, "eed"),
                                  tcp_frame({.sequence = 1}, "xneedl"), tcp_frame({.sequence = 6}, "le")},
                                 needle_pattern);
    EXPECT_EQ(said.letters, "AAAB");
    EXPECT_EQ(said.summary["tcp"]["trimmed"], 3);
    EXPECT_EQ(said.summary["tcp"]["repeated"], 0);
}

TEST(gate_tcp, a_gap_is_counted_and_the_stream_starts_again_behind_it) {
    const gate_bench here;
    // Another sender's packet in between keeps the bytes of the sender from joining over the gap by themselves.
    const auto said =
        here.judge({tcp_frame({.sequence = 1}, "nee"), udp_frame("--"), tcp_frame({.sequence = 5}, "dle"),
                    tcp_frame({.sequence = 8}, "need"), udp_frame("--"), tcp_frame({.sequence = 12}, "le")},
                   needle_pattern);
    EXPECT_EQ(said.letters, "AAAAAB");
    EXPECT_EQ(said.summary["tcp"]["gaps"], 1);
}

TEST(gate_tcp, late_segments_are_judged_as_new_data) {
    const gate_bench here;
    const auto said = here.judge({tcp_frame({.sequence = 1}, "ab"), tcp_frame({.sequence = 20}, "yz"),
                                  tcp_frame({.sequence = 3}, "a needle"), tcp_frame({.sequence = 3}, "a needle"),
                                  tcp_frame({.sequence = 11}, "123456789"), tcp_frame({.sequence = 22}, ".")},
                                 needle_pattern);
    EXPECT_EQ(said.letters, "AABBAA");
    EXPECT_EQ(said.summary["strikes"], 1);
    EXPECT_EQ(said.summary["tcp"]["late"], 2);
    EXPECT_EQ(said.summary["tcp"]["gaps"], 1);
    EXPECT_EQ(said.summary["tcp"]["repeated"], 1);
}

TEST(gate_tcp, a_new_connection_with_old_ports_starts_again) {
    const gate_bench here;
    const auto said =
        here.judge({tcp_frame({.sequence = 1000}, "nee"), tcp_frame({.sequence = 9, .flags = tcp_syn}, ""),
                    tcp_frame({.sequence = 10}, "new"), udp_frame("-"), tcp_frame({.sequence = 13}, "dle"),
                    tcp_frame({.sequence = 16}, "need"), udp_frame("-"), tcp_frame({.sequence = 20}, "le")},
                   needle_pattern);
    EXPECT_EQ(said.letters, "AAAAAAAB");
    EXPECT_EQ(said.summary["tcp"]["gaps"], 0);
    EXPECT_EQ(said.summary["tcp"]["repeated"], 0);
    // Without its SYN, numbers far back are a new connection, too.
    EXPECT_EQ(
        here.judge({tcp_frame({.sequence = 0x50000000}, "x"), tcp_frame({.sequence = 7}, "a needle")}, needle_pattern)
            .summary["strikes"],
        1);
    // Data with the SYN (TCP Fast Open) has the number behind it.
    EXPECT_EQ(here.judge({tcp_frame({.sequence = 7, .flags = tcp_syn}, "nee"), udp_frame("-"),
                          tcp_frame({.sequence = 11}, "dle")},
                         needle_pattern)
                  .letters,
              "AAB");
}

TEST(gate_tcp, connections_are_bounded_and_evictions_counted) {
    const gate_bench here;
    std::vector<std::string> frames;
    for (unsigned port = 1; port <= 50; ++port) frames.push_back(tcp_frame({.sequence = 1, .port = port}, "nee"));
    frames.push_back(udp_frame("-"));
    frames.push_back(tcp_frame({.sequence = 4, .port = 1}, "dle")); // evicted: only the sender's bytes are known
    frames.push_back(udp_frame("-"));
    frames.push_back(tcp_frame({.sequence = 4, .port = 50}, "dle"));
    const auto said = here.judge(frames, needle_pattern, {"--max-connections", "10"});
    EXPECT_EQ(said.letters, std::string(53, 'A') + "B");
    EXPECT_EQ(said.summary["tcp"]["connections"], 10);
    EXPECT_EQ(said.summary["tcp"]["evicted"], 41);
    // A flood of SYNs evicts nobody.
    frames.resize(50);
    for (unsigned port = 1000; port < 1100; ++port) frames.push_back(tcp_frame({.port = port, .flags = tcp_syn}, ""));
    EXPECT_EQ(here.judge(frames, needle_pattern).summary["tcp"]["connections"], 50);
    expect_trouble(here.run({"gate", "--packets", "packets.pcap", "--max-connections", "0"}), "--max-connections");
}

TEST(gate_tcp, a_segment_that_the_capture_truncated_is_a_gap) {
    const gate_bench here;
    const std::string whole = tcp_frame({.sequence = 1}, "abcnee---");
    std::string file = pcap_head(link_raw) + pcap_record(whole.substr(0, whole.size() - 3), whole.size());
    file += pcap_record(udp_frame("-")) + pcap_record(tcp_frame({.sequence = 10}, "dle"));
    here.write("cut.pcap", file);
    const auto said = here.judge_file("cut.pcap", needle_pattern);
    EXPECT_EQ(said.letters, "AAA");
    EXPECT_EQ(said.summary["tcp"]["repeated"], 0); // the header says how long it was
    EXPECT_EQ(said.summary["cut_short"], 1);
}

TEST(gate_tcp, streams_sent_in_any_order_lose_no_pattern_that_lies_in_one_segment) {
    const gate_bench here;
    dice random(5);
    for (std::uint64_t round = 0; round < rounds(10); ++round) {
        // A stream cut into segments that overlap, repeat, are missing and out of order; those with a whole pattern must be bad.
        std::string stream;
        for (int i = 0; i < 2000; ++i)
            stream += random.one_in(150) ? "needle" : std::string(1, static_cast<char>('a' + random.below(26)));
        const auto first = static_cast<std::uint32_t>(random.word());
        std::vector<std::string> frames;
        std::string expected; // N: has the pattern, and is refused in one way or the other
        for (int i = 0; i < 200; ++i) {
            const std::size_t at = random.below(stream.size());
            const std::string piece = stream.substr(at, 1 + random.below(80));
            frames.push_back(tcp_frame({.sequence = first + static_cast<std::uint32_t>(at)}, piece));
            expected += piece.find("needle") != std::string::npos ? 'N' : '-';
        }
        const auto said = here.judge(frames, needle_pattern);
        ASSERT_EQ(said.letters.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_FALSE(expected[i] == 'N' && said.letters[i] == 'A') << round << ", packet " << i;
        }
        EXPECT_LE(said.summary["strikes"].get<int>(), 3);
    }
}

TEST(gate_tcp, a_resumed_run_knows_the_streams) {
    const gate_bench here;
    here.write("patterns.txt", needle_pattern);
    const std::vector<std::string> frames{
        tcp_frame({.sequence = 1}, "nee"), udp_frame("-"),   tcp_frame({.sequence = 4}, "dle"),
        tcp_frame({.sequence = 4}, "dle"), udp_frame("nee"), udp_frame("dle")};
    for (const std::string mode : {"", "--exact", "--compare"}) {
        std::string words;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            here.write("one.pcap", pcap_file(link_raw, {frames[i]}));
            std::vector<std::string> arguments{"gate",   "--packets", "one.pcap", "--state",    "s" + mode,
                                               "--seed", "1",         "--quiet",  "--verdicts", "v"};
            if (!mode.empty()) arguments.push_back(mode);
            if (i == 0) arguments.insert(arguments.end(), {"--patterns", "patterns.txt"});
            const auto ran = here.run(arguments);
            ASSERT_EQ(ran.exit_code, 0) << ran.err;
            const std::string line = here.read("v");
            words += line.substr(line.find(' ', line.find(' ') + 1) + 1, 1);
        }
        EXPECT_EQ(words, "AABBAB") << mode;
    }
}

TEST(gate_tcp, damaged_streams_of_a_saved_state_are_refused_and_left_as_they_are) {
    const gate_bench here;
    here.write("patterns.txt", needle_pattern);
    here.write("blacklist.txt", "10.1.0.0/16\n");
    here.write("one.pcap", pcap_file(link_raw, {tcp_frame({.sequence = 1}, "nee")}));
    const std::vector<std::string> again{"gate", "--packets", "one.pcap", "--state", "s", "--seed", "1"};
    auto first = again;
    first.insert(first.end(), {"--patterns", "patterns.txt", "--blacklist", "blacklist.txt"});
    ASSERT_EQ(here.run(first).exit_code, 0);
    for (const std::string part : {"flows.1.bin", "networks.1.txt", "patterns.1.txt"}) {
        const std::string whole = here.read("s/" + part);
        std::string damaged = whole;
        damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
        for (const std::string& bytes : {damaged, whole + "x", whole.substr(0, whole.size() - 1)}) {
            here.write("s/" + part, bytes);
            expect_trouble(here.run(again), part + ": does not match its size and checksum");
            EXPECT_EQ(here.read("s/" + part), bytes);
        }
        here.write("s/" + part, whole);
    }
    EXPECT_EQ(here.run(again).exit_code, 0);
}

std::string icmp_error(const std::string& reporter, unsigned type, const std::string& quoted) {
    return ipv4(reporter, protocol_icmp, be8(type) + be8(1) + be16(0) + be32(0) + quoted);
}

TEST(gate_tcp, who_reports_an_error_is_not_struck_for_the_packet_it_quotes) {
    const gate_bench here;
    const std::string bad = udp_frame("a needle", "10.0.0.7");
    std::vector<std::string> frames;
    std::string expected;
    for (const unsigned type : {3U, 4U, 5U, 11U, 12U}) {
        frames.push_back(icmp_error("10.0.0.1", type, bad));
        expected += 'A';
    }
    for (const unsigned type : {8U, 0U}) { // the data of an echo is its sender's own
        frames.push_back(icmp_error("10.0.0.2", type, bad));
        expected += 'B';
    }
    EXPECT_EQ(here.judge(frames, needle_pattern).letters, expected);
    std::vector<std::string> six;
    expected.clear();
    for (const unsigned type : {1U, 2U, 3U, 4U, 127U, 137U, 128U, 129U}) {
        six.push_back(ipv6("2001:db8::1", protocol_icmp6, be8(type) + be8(0) + be16(0) + be32(0) + bad));
        expected += type == 128 || type == 129 ? 'B' : 'A';
    }
    EXPECT_EQ(here.judge(six, needle_pattern).letters, expected);
    // Words in a quoted packet do not count either.
    EXPECT_EQ(here.judge({icmp_error("10.0.0.1", 3, be32(0xdeadbeef))}, "deadbeef\n").letters, "A");
    EXPECT_EQ(here.judge({icmp_error("10.0.0.1", 8, be32(0xdeadbeef))}, "deadbeef\n").letters, "B");
}

} // namespace
} // namespace everbloom::support
