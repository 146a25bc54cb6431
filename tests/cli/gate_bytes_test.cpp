// Byte patterns of the gate: at any offset, across packets, in text and hexadecimal digits, with masks; beside a search of our own.
#include "cli/gate_bench.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"

namespace everbloom::support {
namespace {

TEST(gate_bytes, a_pattern_is_found_at_every_offset) {
    const gate_bench here;
    for (std::size_t before = 0; before < 9; ++before) {
        const std::string payload = std::string(before, 'x') + "GNUTELLA" + std::string(before % 3, 'y');
        EXPECT_EQ(here.judge({udp_frame(payload), udp_frame("GNUTELL!")}, "\"GNUTELLA\"\n").letters, "BA") << before;
    }
}

TEST(gate_bytes, a_pattern_is_found_across_packets_of_a_sender_wherever_it_is_cut) {
    const gate_bench here;
    const std::string text = "GNUTELLA CONNECT";
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        const std::vector<std::string> frames{udp_frame("abc" + text.substr(0, cut)),
                                              udp_frame("TELLA CONNECT", "10.0.0.2"),
                                              udp_frame(text.substr(cut) + "d")};
        EXPECT_EQ(here.judge(frames, "text:GNUTELLA CONNECT\n").letters, "AAB") << cut;
    }
    std::vector<std::string> letters;
    for (const char one : text) letters.push_back(udp_frame(std::string(1, one)));
    EXPECT_EQ(here.judge(letters, "text:GNUTELLA CONNECT\n").letters, std::string(text.size() - 1, 'A') + "B");
}

TEST(gate_bytes, a_match_clears_the_bytes_and_a_packet_is_at_most_one_strike) {
    const gate_bench here;
    const std::string patterns = "\"abc\"\n\"cd\"\n";
    EXPECT_EQ(here.judge({udp_frame("abc"), udp_frame("d")}, patterns).letters, "BA");
    const auto said = here.judge({udp_frame("abcabcabcabc"), udp_frame("xyz"), udp_frame("abc")}, patterns);
    EXPECT_EQ(said.letters, "BAB");
    EXPECT_EQ(said.summary["strikes"], 2);
    EXPECT_EQ(here.judge({udp_frame("abc"), udp_frame("abc"), udp_frame("abc"), udp_frame("x")}, patterns).letters,
              "BBBR");
}

TEST(gate_bytes, words_and_bytes_are_judged_together) {
    const gate_bench here;
    // The word is found at a word boundary only, the bytes anywhere; a hit of one clears the history of the other.
    const std::string patterns = "41424344\n\"wxyz\"\n";
    EXPECT_EQ(here.judge({udp_frame("ABCD"), udp_frame("1ABCD", "10.0.0.2"), udp_frame("1wxyz", "10.0.0.3")}, patterns)
                  .letters,
              "BAB");
    EXPECT_EQ(here.judge({udp_frame("wxAB"), udp_frame("ABCD"), udp_frame("yz")}, patterns).letters, "ABA");
    EXPECT_EQ(here.judge({udp_frame("AB"), udp_frame("wxyz"), udp_frame("CD")}, patterns).letters, "ABA");
}

TEST(gate_bytes, every_spelling_of_a_pattern_is_the_same_pattern) {
    const gate_bench here;
    const std::string payload = "_a\"\\\n\r\t" + std::string(1, '\0') + "#b ";
    for (const std::string line :
         {R"("a\"\\\n\r\t\0#b")", R"("a\x22\x5C\x0a\x0d\x09\x00#b" # a comment)", "hex:61225c0a0d09002362",
          "hex: 61 22 5C 0a 0D 09 00 23 62 # a comment", "hex:61225c0a0d09002362/ffffffffffffffffff",
          "\t hex:6122??0a0d09002362\r", "hex:61225c0a0d0900?36?", "hex:61225c0a0d0900ff62/ffffffffffffff00ff"}) {
        EXPECT_EQ(here.judge({udp_frame(payload)}, line + "\n").letters, "B") << line;
    }
    EXPECT_EQ(here.judge({udp_frame("so #1 is")}, "text: #1 \n").letters, "B");
    EXPECT_EQ(here.judge({udp_frame("so #2 is")}, "text:#1\n").letters, "A");
    const auto said = here.judge({udp_frame("")}, "\"abc\"\nhex:616263\ntext:abc\nhex:616263/ffffff\n# nothing\n\n");
    EXPECT_EQ(said.summary["byte_patterns"], 1);
}

TEST(gate_bytes, masks_match_what_they_leave_open_and_nothing_else) {
    const gate_bench here;
    const auto says = [&](const std::string& line, const std::string& payload) {
        return here.judge({udp_frame("..." + payload + "...")}, line + "\n").letters;
    };
    EXPECT_EQ(says("hex:47??55", "GxU"), "B");
    EXPECT_EQ(says("hex:47??55", "GU"), "A");
    EXPECT_EQ(says("hex:4?55", "OU"), "B");
    EXPECT_EQ(says("hex:4?55", "PU"), "A"); // 50 55
    EXPECT_EQ(says("hex:?755", "gU"), "B");
    EXPECT_EQ(says("hex:?755", "hU"), "A");
    for (const std::string word : {"gNu", "gnu", "Gnu", "GNu"}) // letters of either case, but for one
        EXPECT_EQ(says("hex:474e75/dfdfff", word), "B") << word;
    EXPECT_EQ(says("hex:474e75/dfdfff", "gnU"), "A");
}

TEST(gate_bytes, bytes_behind_an_anchor_may_come_in_later_packets) {
    const gate_bench here;
    // The anchor is 'needle'; what precedes and follows it is masked, and arrives byte by byte.
    const std::string line = "hex:?1 ?? 6e 65 65 64 6c 65 ?? ?2\n";
    const std::string data = "1xneedley2";
    std::vector<std::string> frames;
    for (const char one : data) frames.push_back(udp_frame(std::string(1, one)));
    EXPECT_EQ(here.judge(frames, line).letters, std::string(data.size() - 1, 'A') + "B");
    for (std::size_t cut = 1; cut < data.size(); ++cut) {
        EXPECT_EQ(here.judge({udp_frame(data.substr(0, cut)), udp_frame(data.substr(cut))}, line).letters, "AB") << cut;
        std::string other = data;
        other.back() = '3';
        EXPECT_EQ(here.judge({udp_frame(other.substr(0, cut)), udp_frame(other.substr(cut))}, line).letters, "AA");
    }
}

TEST(gate_bytes, malformed_patterns_are_named_by_file_and_line) {
    const gate_bench here;
    here.write("packets.txt", "10.0.0.1 1\n");
    const auto refused = [&](const std::string& line, std::string_view words) {
        here.write("bad.txt", "deadbeef\n" + line + "\n");
        const auto ran = here.run({"gate", "--patterns", "bad.txt", "--packets", "packets.txt", "--state", "s"});
        expect_trouble(ran, "bad.txt:2: ");
        EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
        EXPECT_FALSE(std::filesystem::exists(here.path() / "s/gate.json"));
    };
    refused("\"abc", "closing quote");
    refused(R"("ab\")", "closing quote");
    refused(R"("a\q")", "unknown escape");
    refused(R"("a\x4")", "unknown escape");
    refused("\"abc\" def", "'def' behind the closing quote");
    refused("\"\"", "empty");
    refused("text:", "empty");
    refused("hex:", "empty");
    refused("hex:4", "'4' is not two hexadecimal digits");
    refused("hex:47 4 e", "'4 ' is not two hexadecimal digits");
    refused("hex:47zz", "'zz' is not two");
    refused("hex:4755/ff", "the mask has 1 bytes, the pattern 2");
    refused("hex:47?"
            "?/ffff",
            "either ? or a /mask");
    refused("hex:4755/f?ff", "is not two hexadecimal digits");
    refused("hex:????", "no byte of the pattern is fixed");
    refused("hex:474e55/dfdfdf", "no byte of the pattern is fixed");
    refused("\"" + std::string(257, 'a') + "\"", "pattern of 257 bytes; the limit is 256");
    refused("text:" + std::string(3000, 'a'), "pattern of 3000 bytes; the limit is 256");
    refused("foo:bar", "text:... or hex:...");
    EXPECT_EQ(here.judge({udp_frame(std::string(300, 'a'))}, "\"" + std::string(256, 'a') + "\"\n").letters, "B");
    EXPECT_EQ(here.judge({udp_frame(std::string(255, 'a')), udp_frame("a")}, "text:" + std::string(256, 'a')).letters,
              "AB");
}

/// A search of its own: a sender's data in order of arrival, compared byte by byte with every pattern.
struct plain_pattern {
    std::string bytes, mask;

    [[nodiscard]] bool is_at(const std::string& data, std::size_t at) const {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (((data[at + i] ^ bytes[i]) & mask[i]) != 0) return false;
        }
        return true;
    }
};

class plain_gate {
public:
    explicit plain_gate(std::vector<plain_pattern> patterns) : patterns_(std::move(patterns)) {}

    [[nodiscard]] char judge(const std::string& sender, const std::string& payload) {
        if (strikes_[sender] == 3) return 'R';
        std::string& data = data_[sender];
        const std::size_t before = data.size();
        data += payload;
        for (const plain_pattern& one : patterns_) {
            for (std::size_t at = 0; at + one.bytes.size() <= data.size(); ++at) {
                if (at + one.bytes.size() <= before || !one.is_at(data, at)) continue;
                data.clear();
                ++strikes_[sender];
                return 'B';
            }
        }
        return 'A';
    }

private:
    std::vector<plain_pattern> patterns_;
    std::map<std::string, std::string> data_;
    std::map<std::string, unsigned> strikes_;
};

std::string hex_of(const std::string& bytes) {
    std::string text;
    for (const char one : bytes) {
        text += "0123456789abcdef"[static_cast<unsigned char>(one) >> 4U];
        text += "0123456789abcdef"[static_cast<unsigned char>(one) & 15U];
    }
    return text;
}

TEST(gate_bytes, random_patterns_and_packets_are_judged_as_a_plain_search_does) {
    const gate_bench here;
    dice random(26);
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
        // Few different bytes, so that patterns occur by chance and share their anchors.
        const auto letter = [&] { return static_cast<char>('a' + random.below(2)); };
        std::vector<plain_pattern> patterns;
        std::string lines;
        for (std::uint64_t i = 0, count = 1 + random.below(6); i < count; ++i) {
            plain_pattern one;
            const std::uint64_t length = 4 + random.below(round % 2 == 0 ? 9 : 40);
            for (std::uint64_t at = 0; at < length; ++at) {
                const bool is_open = round % 3 != 0 && random.one_in(4);
                one.mask += is_open ? static_cast<char>(random.below(255)) : '\xff';
                one.bytes += letter();
            }
            one.mask[random.below(length)] = '\xff';
            lines += "hex:" + hex_of(one.bytes) + "/" + hex_of(one.mask) + "\n";
            patterns.push_back(std::move(one));
        }
        plain_gate plain(patterns);
        std::vector<std::string> frames;
        std::string expected;
        for (int i = 0; i < 300; ++i) {
            const std::string sender = "10.0.0." + std::to_string(1 + random.below(40));
            std::string payload;
            for (std::uint64_t at = random.below(12); at > 0; --at) payload += letter();
            frames.push_back(udp_frame(payload, sender));
            expected += plain.judge(sender, payload);
        }
        EXPECT_EQ(here.judge(frames, lines).letters, expected) << lines;
    }
}

TEST(gate_bytes, many_patterns_of_one_beginning_are_told_apart) {
    const gate_bench here;
    std::string lines;
    for (int i = 0; i < 2000; ++i) lines += "\"the same long beginning " + std::to_string(10000 + i) + "\"\n";
    std::vector<std::string> frames;
    std::string expected;
    for (int i = 0; i < 100; ++i) {
        const std::string sender = "10.0.1." + std::to_string(i);
        frames.push_back(udp_frame("xx the same long beginning " + std::to_string(11950 + i), sender));
        expected += i < 50 ? 'B' : 'A';
    }
    EXPECT_EQ(here.judge(frames, lines).letters, expected);
}

} // namespace
} // namespace everbloom::support
