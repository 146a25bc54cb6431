// Networks in blacklists: which addresses they cover, how lists of them are read, saved and refused.
#include "cli/gate_bench.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"

namespace everbloom::support {
namespace {

/// The answers of a gate with this blacklist, as "BAD NEITHER ...".
std::string network_answers(const workbench& here, const std::string& blacklist, const std::string& addresses,
                            const std::vector<std::string>& more = {}) {
    here.write("blacklist.txt", blacklist);
    here.write("ask.txt", addresses);
    std::vector<std::string> arguments{"gate",    "--blacklist", "blacklist.txt", "--query",
                                       "ask.txt", "--quiet",     "--seed",        "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ran = here.run(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::string words;
    std::istringstream lines(ran.out);
    for (std::string address, word; lines >> address >> word;) words += word + " ";
    return words;
}

TEST(gate_networks, cover_their_addresses_and_no_others) {
    const workbench here;
    const std::string list = "10.1.0.0/16 # ours\n192.0.2.128/25\n203.0.113.7\n203.0.113.9/32\n2001:db8::/32\n"
                             "2001:db9::1:0/112\n2001:dba::5/128\n";
    EXPECT_EQ(network_answers(here, list, "10.0.255.255\n10.1.0.0\n10.1.255.255\n10.2.0.0\n"),
              "NEITHER BAD BAD NEITHER ");
    EXPECT_EQ(network_answers(here, list, "192.0.2.127\n192.0.2.128\n192.0.2.255\n192.0.3.0\n"),
              "NEITHER BAD BAD NEITHER ");
    EXPECT_EQ(network_answers(here, list, "203.0.113.7\n203.0.113.8\n203.0.113.9\n"), "BAD NEITHER BAD ");
    EXPECT_EQ(network_answers(here, list,
                              "2001:db7:ffff::1\n2001:db8::\n2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\n2001:db9::\n"),
              "NEITHER BAD BAD NEITHER ");
    EXPECT_EQ(network_answers(here, list, "2001:db9::1:0\n2001:db9::1:ffff\n2001:db9::2:0\n2001:dba::5\n2001:dba::6\n"),
              "BAD BAD NEITHER BAD NEITHER ");
    for (const std::string mode : {"--exact", "--compare"})
        EXPECT_EQ(network_answers(here, list, "10.1.2.3\n10.2.2.3\n", {mode}), "BAD NEITHER ") << mode;
}

TEST(gate_networks, ipv4_and_ipv6_are_apart_but_for_mapped_addresses) {
    const workbench here;
    const std::string both = "10.0.0.1\n::ffff:10.0.0.1\n2001:db8::1\n";
    EXPECT_EQ(network_answers(here, "0.0.0.0/0\n", both), "BAD BAD NEITHER ");
    EXPECT_EQ(network_answers(here, "::/0\n", both), "NEITHER NEITHER BAD ");
    EXPECT_EQ(network_answers(here, "::ffff:10.0.0.0/104\n", both), "BAD BAD NEITHER ");
    EXPECT_EQ(network_answers(here, "0.0.0.0/0\n::/0\n", both), "BAD BAD BAD ");
}

TEST(gate_networks, packets_of_a_banned_network_are_rejected_without_a_trace) {
    const gate_bench here;
    here.write("blacklist.txt", "10.0.0.0/24\n2001:db8::/64\n");
    const auto said =
        here.judge({udp_frame("x", "10.0.0.77"), udp_frame("x", "10.0.1.77"),
                    ipv6("2001:db8::77", protocol_udp, udp("x")), ipv6("2001:db8:0:1::77", protocol_udp, udp("x"))},
                   "\"abc\"\n", {"--blacklist", "blacklist.txt"});
    EXPECT_EQ(said.letters, "RARA");
    EXPECT_EQ(said.summary["senders"], 2);
    EXPECT_EQ(said.summary["networks"], 2);
}

TEST(gate_networks, malformed_ones_are_named_with_advice) {
    const workbench here;
    const auto refused = [&](const std::string& line, std::string_view words) {
        here.write("bad.txt", "10.0.0.1\n" + line + "\n");
        const auto ran = here.run({"gate", "--blacklist", "bad.txt", "--query", "bad.txt"});
        expect_trouble(ran, "bad.txt:2: '");
        EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
    };
    refused("10.0.0.1/8", "did you mean 10.0.0.0/8?");
    refused("2001:db8::1/32", "did you mean 2001:db8::/32?");
    for (const std::string line : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/08x", "10.0.0/8", "::/129",
                                   "/8", "10.0.0.0/8/8", "example.com", "10.0.0.0 /8"})
        refused(line, "or a network such as 10.0.0.0/8");
    here.write("good.txt", "10.0.0.0/8\n");
    expect_trouble(here.run({"gate", "--blacklist", "good.txt", "--query", "good.txt"}),
                   "networks are for --blacklist");
}

TEST(gate_networks, are_saved_joined_and_added_to) {
    const workbench here;
    const auto run_with = [&](const std::string& list) {
        here.write("b.txt", list);
        here.write("ask.txt", "10.0.0.1\n10.0.1.1\n10.0.4.1\n");
        return here.run({"gate", "--blacklist", "b.txt", "--query", "ask.txt", "--state", "s", "--quiet"}).out;
    };
    EXPECT_EQ(run_with("10.0.0.0/24\n"), "10.0.0.1 BAD\n10.0.1.1 NEITHER\n10.0.4.1 NEITHER\n");
    EXPECT_EQ(here.read("s/networks.1.txt"), "10.0.0.0/24\n");
    EXPECT_EQ(run_with("10.0.1.0/24\n2001:db8::/33\n2001:db8:8000::/33\n"),
              "10.0.0.1 BAD\n10.0.1.1 BAD\n10.0.4.1 NEITHER\n");
    EXPECT_EQ(here.read("s/networks.2.txt"), "10.0.0.0/23\n2001:db8::/32\n");
    EXPECT_EQ(run_with("10.0.2.0/24\n10.0.3.0/25\n"), "10.0.0.1 BAD\n10.0.1.1 BAD\n10.0.4.1 NEITHER\n");
    EXPECT_EQ(here.read("s/networks.3.txt"), "10.0.0.0/23\n10.0.2.0/24\n10.0.3.0/25\n2001:db8::/32\n");
}

TEST(gate_networks, random_lists_answer_as_a_bitwise_comparison_does) {
    const workbench here;
    dice random(7);
    const auto text_of = [](std::uint32_t address) {
        return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." +
               std::to_string(address >> 8U & 255U) + "." + std::to_string(address & 255U);
    };
    for (std::uint64_t round = 0; round < rounds(10); ++round) {
        std::vector<std::pair<std::uint32_t, unsigned>> networks;
        std::string list;
        for (int i = 0; i < 60; ++i) {
            const auto prefix = static_cast<unsigned>(16 + random.below(17));
            const std::uint32_t mask = ~std::uint32_t{0} << (32 - prefix);
            networks.emplace_back((0x0a000000U | static_cast<std::uint32_t>(random.below(1 << 18))) & mask, prefix);
            list += text_of(networks.back().first) + "/" + std::to_string(prefix) + "\n";
        }
        std::string asked;
        std::string expected;
        for (int i = 0; i < 500; ++i) {
            // Beside an edge of a network, or anywhere.
            std::uint32_t address = 0x0a000000U | static_cast<std::uint32_t>(random.below(1 << 18));
            if (random.one_in(2))
                address =
                    networks[random.below(networks.size())].first - 1 + static_cast<std::uint32_t>(random.below(3));
            bool is_bad = false;
            for (const auto& [network, prefix] : networks) is_bad = is_bad || (address ^ network) >> (32 - prefix) == 0;
            asked += text_of(address) + "\n";
            expected += is_bad ? "BAD " : "NEITHER ";
        }
        EXPECT_EQ(network_answers(here, list, asked, {"--exact"}), expected) << list;
    }
}

} // namespace
} // namespace everbloom::support
