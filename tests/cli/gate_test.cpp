// The rules of the gate, packet by packet; filters beside exact sets; what comes out.
#include "cli/workbench.hpp"
#include "support/dice.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace everbloom::support {
namespace {

using nlohmann::json;

/// A blacklist, patterns, and packets as text.
struct small_gate : workbench {
    small_gate() {
        write("blacklist.txt", "# refused\n10.0.0.9\n2001:db8::bad\n");
        write("patterns.txt", "deadbeef\n1 2\n00000001 00000002 00000003\n");
    }

    [[nodiscard]] program_result judge(const std::string& packets, std::vector<std::string> more = {}) const {
        write("packets.txt", packets);
        std::vector<std::string> arguments{"gate",      "--blacklist", "blacklist.txt", "--patterns", "patterns.txt",
                                           "--packets", "packets.txt", "--verdicts",    "verdicts",   "--seed",
                                           "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    /// The verdicts alone, by filters and by exact sets, which must agree: with so few senders a false positive is a mistake.
    [[nodiscard]] std::string verdicts(const std::string& packets, const std::vector<std::string>& more = {}) const {
        const auto by_filters = judge(packets, more);
        EXPECT_EQ(by_filters.exit_code, 0) << by_filters.err;
        const std::string said = read("verdicts");
        std::vector<std::string> exact = more;
        exact.emplace_back("--exact");
        EXPECT_EQ(judge(packets, exact).exit_code, 0);
        EXPECT_EQ(read("verdicts"), said);
        std::string words;
        std::istringstream lines(said);
        for (std::string index, sender, word; lines >> index >> sender >> word;) words += word.substr(0, 1);
        return words;
    }
};

TEST(gate, a_blacklisted_sender_is_rejected_and_others_pass) {
    const small_gate here;
    const auto ran = here.judge("10.0.0.1 00000007\n10.0.0.9 00000007\n2001:db8::bad 00000007\n2001:db8::1 00000007\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(here.read("verdicts"),
              "0 10.0.0.1 ACCEPT\n1 10.0.0.9 REJECT\n2 2001:db8::bad REJECT\n3 2001:db8::1 ACCEPT\n");
}

TEST(gate, bad_data_is_found_across_packets_with_others_in_between) {
    const small_gate here;
    EXPECT_EQ(here.verdicts("10.0.0.1 00000001\n"
                            "10.0.0.2 00000002\n" // another sender's word does not complete it
                            "10.0.0.1 00000002\n"
                            "10.0.0.2 deadbeef\n"),
              "AABB");
}

TEST(gate, a_match_clears_the_words_so_that_matches_do_not_overlap) {
    const small_gate here;
    // 1 2 is a pattern and so is 1 2 3; after the first hit nothing is left that 3 could complete.
    EXPECT_EQ(here.verdicts("10.0.0.1 00000001\n10.0.0.1 00000002\n10.0.0.1 00000003\n"), "ABA");
}

TEST(gate, a_packet_is_at_most_one_strike_and_its_rest_is_not_looked_at) {
    const small_gate here;
    EXPECT_EQ(here.verdicts("10.0.0.1 deadbeef deadbeef deadbeef 00000001\n10.0.0.1 00000002\n10.0.0.1 00000007\n"),
              "BAA");
}

TEST(gate, bad_data_in_the_middle_of_a_packet_is_found) {
    const small_gate here;
    EXPECT_EQ(here.verdicts("10.0.0.1 00000007 00000001 00000002 00000007\n10.0.0.1 00000001 00000007 00000002\n"),
              "BA");
}

// Values of short windows are computed from their words, those of long ones from running values: a long pattern that does not occur
// changes the way, and not the verdicts.
TEST(gate, short_and_long_windows_give_the_same_verdicts) {
    const small_gate here;
    dice random(61);
    std::string packets;
    for (int i = 0; i < 3'000; ++i) {
        packets += "10.0.0." + std::to_string(10 + random.below(40));
        for (std::uint64_t words = 1 + random.below(4); words > 0; --words) {
            packets += " 0000000" + std::to_string(random.below(9));
        }
        packets += "\n";
    }
    here.write("patterns.txt", "8 8\n1 2 3\n4 4 4 4\n");
    const std::string by_words = here.verdicts(packets);
    EXPECT_NE(by_words.find('B'), std::string::npos);
    EXPECT_NE(by_words.find('R'), std::string::npos);
    here.write("patterns.txt", "8 8\n1 2 3\n4 4 4 4\n9 9 9 9 9 9 9 9 9\n");
    EXPECT_EQ(here.verdicts(packets), by_words);
}

TEST(gate, the_third_strike_bans_for_ever) {
    const small_gate here;
    here.write("queries.txt", "10.0.0.1\n10.0.0.2\n10.0.0.3\n10.0.0.9\n");
    const std::string packets =
        "10.0.0.1 deadbeef\n10.0.0.1 deadbeef\n10.0.0.2 deadbeef\n10.0.0.1 deadbeef\n10.0.0.1 00000007\n"
        "10.0.0.2 00000007\n";
    EXPECT_EQ(here.verdicts(packets), "BBBBRA");
    const auto ran = here.judge(packets, {"--query", "queries.txt", "--quiet"});
    EXPECT_EQ(ran.out, "10.0.0.1 BAD\n10.0.0.2 GOOD\n10.0.0.3 NEITHER\n10.0.0.9 BAD\n");
    const auto document = json::parse(here.judge(packets, {"--json", "--query", "queries.txt"}).out);
    EXPECT_EQ(document["packets"], 6);
    EXPECT_EQ(document["accepted"], 1);
    EXPECT_EQ(document["bad"], 4);
    EXPECT_EQ(document["rejected"], 1);
    EXPECT_EQ(document["undecodable"], 0);
    EXPECT_EQ(document["strikes"], 4);
    EXPECT_EQ(document["moved"], 1);
    EXPECT_EQ(document["kept_in_good"], 0);
    EXPECT_EQ(document["senders"], 1);
    EXPECT_EQ(document["evicted"], 0);
    EXPECT_EQ(document["offenders"][0], json({{"ip", "10.0.0.1"}, {"bad", 3}, {"rejected", 1}}));
    EXPECT_EQ(document["answers"][0], json({{"ip", "10.0.0.1"}, {"answer", "BAD"}}));
    for (const char* key : {"seconds", "packets_per_second", "filter_bytes", "sender_bytes"}) {
        EXPECT_TRUE(document[key].is_number()) << key;
    }
}

TEST(gate, a_sender_who_is_forgotten_begins_anew_and_stays_known_as_good) {
    const small_gate here;
    here.write("queries.txt", "10.0.0.1\n10.0.0.2\n10.0.0.3\n");
    const std::string packets =
        "10.0.0.1 00000001\n10.0.0.2 00000007\n10.0.0.3 00000007\n10.0.0.1 00000002\n10.0.0.3 00000001\n"
        "10.0.0.1 00000007\n10.0.0.3 00000002\n";
    // With room for two, the third sender drives out the first, whose 1 is forgotten when its 2 comes.
    EXPECT_EQ(here.verdicts(packets, {"--max-senders", "2"}), "AAAAAAB");
    EXPECT_EQ(here.verdicts(packets), "AAABAAB");
    const auto ran = here.judge(packets, {"--max-senders", "2", "--query", "queries.txt", "--json"});
    const auto document = json::parse(ran.out);
    EXPECT_EQ(document["senders"], 2);
    EXPECT_EQ(document["evicted"], 2);
    for (const auto& one : document["answers"]) EXPECT_EQ(one["answer"], "GOOD") << one;
}

TEST(gate, without_patterns_only_addresses_count) {
    const workbench here;
    here.write("packets.txt", "10.0.0.1 00000001\n10.0.0.1 00000002\n");
    const auto ran = here.run({"gate", "--packets", "packets.txt", "--json"});
    EXPECT_EQ(json::parse(ran.out)["accepted"], 2) << ran.err;
}

TEST(gate, questions_can_be_asked_without_packets) {
    const small_gate here;
    here.write("queries.txt", "10.0.0.9\n10.0.0.1\n");
    const auto ran = here.run({"gate", "--blacklist", "blacklist.txt", "--query", "queries.txt", "--quiet"});
    EXPECT_EQ(ran.out, "10.0.0.9 BAD\n10.0.0.1 NEITHER\n") << ran.err;
}

struct made_traffic : workbench {
    explicit made_traffic(const std::string& packets = "60000", const std::string& senders = "3000") {
        const auto made = run({"gate", "generate", "--packets", packets, "--senders", senders, "--bad-share", "5%",
                               "--seed", "7", "--out", "t"});
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
    [[nodiscard]] program_result judge(const std::string& packets, const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"gate",       "--blacklist",    "t/blacklist.txt",
                                           "--patterns", "t/patterns.txt", "--packets",
                                           packets,      "--seed",         "3"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto ran = run(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran;
    }
};

TEST(gate, filters_with_tiny_rates_judge_as_exact_sets_do) {
    const made_traffic here;
    const std::vector<std::string> tiny{"--fpr", "1e-7", "--pattern-fpr", "1e-12", "--verdicts", "v"};
    (void)here.judge("t/packets.raw", tiny);
    const std::string by_filters = here.read("v");
    (void)here.judge("t/packets.raw", {"--exact", "--verdicts", "v"});
    EXPECT_TRUE(here.read("v") == by_filters);
    EXPECT_NE(by_filters.find(" BAD\n"), std::string::npos);
    EXPECT_NE(by_filters.find(" REJECT\n"), std::string::npos);
}

// The numbers of wrong verdicts and answers are sums of rare events of about these rates; with fixed seeds, six standard deviations of a
// Poisson number decide. Packets of one sender share their fate, so senders are what is counted.
TEST(gate, wrong_rejections_strikes_and_answers_are_as_many_as_the_models_say) {
    const made_traffic here("200000", "20000");
    const auto ran = here.judge(
        "t/packets.raw", {"--compare", "--fpr", "20%", "--pattern-fpr", "0.1%", "--query", "t/queries.txt", "--json"});
    const auto document = json::parse(ran.out);
    const auto expect_near = [](double seen, double expected, const char* what) {
        EXPECT_GT(expected, 20) << what;
        EXPECT_NEAR(seen, expected, 6 * std::sqrt(expected)) << what;
    };
    const json& rejections = document["false_rejections"];
    expect_near(rejections["senders"], rejections["model"].get<double>() * rejections["of_senders"].get<double>(),
                "senders");
    expect_near(document["false_strikes"]["strikes"], document["false_strikes"]["expected"], "strikes");
    const json& answers = document["wrong_answers"];
    expect_near(answers["wrong"], answers["model"].get<double>() * answers["queries"].get<double>(), "answers");
    EXPECT_LT(document["filter_bytes"].get<double>() * 2, document["exact_bytes"].get<double>());
    EXPECT_EQ(document["kept_in_good"], 0); // an elastic filter lets everybody go
    const json& exact = document["exact"];
    EXPECT_EQ(exact["accepted"].get<int>() + exact["bad"].get<int>() + exact["rejected"].get<int>(), 200000);
    EXPECT_GT(exact["moved"].get<int>(), 100);
}

TEST(gate, every_kind_that_removes_can_hold_the_senders) {
    const made_traffic here("3000", "200");
    for (const std::string kind : {"counting", "dleft", "ternary", "dfp", "elastic", "deletable"}) {
        const auto ran = here.judge("t/packets.raw", {"--good-kind", kind, "--senders", "400", "--compare", "--json"});
        EXPECT_EQ(json::parse(ran.out)["good_ips"]["kind"], kind);
    }
    const auto refused = here.run({"gate", "--packets", "t/packets.raw", "--good-kind", "bloom"});
    expect_trouble(refused, "bloom filters do not support deletion");
}

TEST(gate, bans_are_exported_for_nft_ipset_and_as_a_list) {
    const small_gate here;
    const std::string packets = "10.0.0.1 deadbeef\n10.0.0.1 deadbeef\n10.0.0.1 deadbeef\n"
                                "2001:db8::7 deadbeef\n2001:db8::7 deadbeef\n2001:db8::7 deadbeef\n10.0.0.2 deadbeef\n";
    EXPECT_EQ(here.judge(packets, {"--export", "bans"}).exit_code, 0);
    EXPECT_EQ(here.read("bans"), "add table inet everbloom\n"
                                 "add set inet everbloom banned4 { type ipv4_addr; }\n"
                                 "add set inet everbloom banned6 { type ipv6_addr; }\n"
                                 "add element inet everbloom banned4 { 10.0.0.1 }\n"
                                 "add element inet everbloom banned6 { 2001:db8::7 }\n");
    // nft itself, where there is one and a network of our own to try it in, takes the commands, twice.
    const auto taken = here.shell(
        "command -v nft >/dev/null && unshare -n true 2>/dev/null || exit 0; "
        "unshare -n sh -c 'nft -f bans && nft -f bans && nft get element inet everbloom banned4 { 10.0.0.1 }'");
    EXPECT_EQ(taken.exit_code, 0) << taken.err;
    EXPECT_EQ(here.judge(packets, {"--export", "bans", "--export-syntax", "ipset", "--export-name", "gate"}).exit_code,
              0);
    EXPECT_EQ(here.read("bans"), "create gate_banned4 hash:ip family inet -exist\n"
                                 "create gate_banned6 hash:ip family inet6 -exist\n"
                                 "add gate_banned4 10.0.0.1 -exist\n"
                                 "add gate_banned6 2001:db8::7 -exist\n");
    EXPECT_EQ(here.judge(packets, {"--export", "bans", "--export-syntax", "plain"}).exit_code, 0);
    EXPECT_EQ(here.read("bans"), "10.0.0.1\n2001:db8::7\n");
    expect_trouble(here.judge(packets, {"--export", "bans", "--export-name", "a b; drop"}), "--export-name");
}

TEST(gate, json_lines_come_while_it_runs) {
    const made_traffic here;
    const auto ran = here.judge("t/packets.raw", {"--json", "--every", "0.000001"});
    std::istringstream lines(ran.out);
    std::uint64_t packets = 0;
    std::string moment;
    for (std::string line; std::getline(lines, line);) {
        const auto document = json::parse(line);
        EXPECT_GT(document["packets"].get<std::uint64_t>(), packets == 60000 ? 0 : packets);
        packets = document["packets"];
        moment = document["moment"];
    }
    EXPECT_EQ(packets, 60000U);
    EXPECT_EQ(moment, "end");
    EXPECT_GT(line_count(ran.out), 10U);
}

TEST(gate, it_stops_after_the_packets_that_were_asked_for) {
    const made_traffic here("1000", "50");
    EXPECT_EQ(json::parse(here.judge("t/packets.raw", {"--count", "333", "--json"}).out)["packets"], 333);
}

TEST(gate, made_traffic_is_the_same_for_the_same_seed_in_every_format) {
    const made_traffic here("2000", "100");
    for (const std::string format : {"raw", "text", "pcap"}) {
        const auto made = here.run({"gate", "generate", "--packets", "2000", "--senders", "100", "--seed", "7",
                                    "--format", format, "--out", format});
        EXPECT_EQ(made.exit_code, 0) << made.err;
    }
    EXPECT_EQ(here.read("raw/packets.raw"), here.read("t/packets.raw"));
    (void)here.judge("raw/packets.raw", {"--verdicts", "v"});
    const std::string verdicts = here.read("v");
    for (const std::string packets : {"text/packets.txt", "pcap/packets.pcap"}) {
        (void)here.judge(packets, {"--verdicts", "v"});
        EXPECT_TRUE(here.read("v") == verdicts) << packets;
    }
    expect_trouble(here.run({"gate", "generate", "--packets", "10", "--out", "t"}), "already exists");
    expect_trouble(here.run({"gate", "generate", "--senders", "0", "--out", "u"}),
                   "--senders: 0 is out of range (1 to 100,000,000)");
    expect_trouble(here.run({"gate", "generate", "--longest", "65", "--out", "u"}), "--longest: 65");
}

TEST(gate, malformed_lists_are_refused_with_file_and_line) {
    const small_gate here;
    here.write("bad.txt", "10.0.0.1\n\n10.0.0.0/33\n");
    expect_trouble(here.run({"gate", "--blacklist", "bad.txt", "--packets", "patterns.txt"}),
                   "bad.txt:3: '10.0.0.0/33'");
    here.write("bad.txt", "deadbeef\nxyz\n");
    expect_trouble(here.run({"gate", "--patterns", "bad.txt", "--packets", "patterns.txt"}), "bad.txt:2: 'xyz'");
    here.write("bad.txt", "deadbeef deadbeef1\n");
    expect_trouble(here.run({"gate", "--patterns", "bad.txt", "--packets", "patterns.txt"}), "bad.txt:1: 'deadbeef1'");
    std::string words;
    for (int i = 0; i < 65; ++i) words += "1 ";
    here.write("bad.txt", "# long\n" + words + "\n");
    expect_trouble(here.run({"gate", "--patterns", "bad.txt", "--packets", "patterns.txt"}),
                   "bad.txt:2: pattern longer than 64 words");
    expect_trouble(here.run({"gate", "--query", "bad.txt"}), "bad.txt:2: ");
    expect_trouble(here.run({"gate"}), "--packets FILE");
    expect_trouble(here.run({"gate", "--packets", "absent"}), "absent");
    expect_trouble(here.run({"gate", "--packets", "packets.txt", "--max-senders", "0"}), "--max-senders");
    EXPECT_EQ(here.listing(), "bad.txt blacklist.txt patterns.txt");
}

} // namespace
} // namespace everbloom::support
