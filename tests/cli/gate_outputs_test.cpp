// What a gate writes while it runs: events, metrics, checkpoints; and states of the first version, which it still reads.
#include "cli/gate_bench.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

namespace everbloom::support {
namespace {

using nlohmann::json;

struct striking_gate : workbench {
    striking_gate() {
        write("patterns.txt", "deadbeef\n\"abcd\"\n");
        write("packets.txt", "10.0.0.1 deadbeef\n10.0.0.2 7\n10.0.0.1 61626364\n10.0.0.1 deadbeef\n10.0.0.1 7\n");
    }
    [[nodiscard]] program_result judge(std::vector<std::string> more) const {
        more.insert(more.begin(), {"gate", "--patterns", "patterns.txt", "--seed", "1"});
        return run(more);
    }
};

std::vector<json> events_in(const std::string& text) {
    std::vector<json> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
}

TEST(gate_events, every_strike_and_ban_is_a_line_of_json) {
    const striking_gate here;
    ASSERT_EQ(here.judge({"--packets", "packets.txt", "--events", "events.json"}).exit_code, 0);
    auto events = events_in(here.read("events.json"));
    ASSERT_EQ(events.size(), 4U);
    for (json& one : events) {
        EXPECT_TRUE(std::regex_match(one["time"].get<std::string>(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")))
            << one;
        one.erase("time");
    }
    EXPECT_EQ(events[0], json({{"event", "strike"}, {"ip", "10.0.0.1"}, {"strikes", 1}, {"packet", 0}}));
    EXPECT_EQ(
        events[1],
        json({{"event", "strike"}, {"ip", "10.0.0.1"}, {"strikes", 2}, {"packet", 2}, {"pattern", "hex:61626364"}}));
    EXPECT_EQ(events[2], json({{"event", "strike"}, {"ip", "10.0.0.1"}, {"strikes", 3}, {"packet", 3}}));
    EXPECT_EQ(events[3], json({{"event", "ban"}, {"ip", "10.0.0.1"}, {"strikes", 3}, {"packet", 3}}));
}

TEST(gate_events, are_appended_to_a_log_and_to_nothing_else) {
    const striking_gate here;
    for (int i = 0; i < 2; ++i) ASSERT_EQ(here.judge({"--packets", "packets.txt", "--events", "log"}).exit_code, 0);
    EXPECT_EQ(events_in(here.read("log")).size(), 8U);
    // Numbers of packets go on with a saved state.
    ASSERT_EQ(here.judge({"--packets", "packets.txt", "--state", "s"}).exit_code, 0);
    here.write("more.txt", "10.0.0.2 deadbeef\n");
    const auto printed = here.judge({"--packets", "more.txt", "--state", "s", "--events", "-", "--quiet"});
    EXPECT_EQ(events_in(printed.out).at(0)["packet"], 5) << printed.out;
    here.write("notes.txt", "not a log\n");
    expect_trouble(here.judge({"--packets", "packets.txt", "--events", "notes.txt"}),
                   "notes.txt: is not a log of events");
    EXPECT_EQ(here.read("notes.txt"), "not a log\n");
    expect_trouble(here.judge({"--packets", "packets.txt", "--events", "patterns.txt"}), "patterns.txt");
    expect_trouble(here.judge({"--packets", "packets.txt", "--events", "nowhere/log"}), "nowhere/log");
    expect_trouble(here.judge({"--packets", "packets.txt", "--events", "one", "--metrics", "./one"}), "./one");
}

TEST(gate_events, a_gate_without_strikes_makes_an_empty_log) {
    const striking_gate here;
    here.write("quiet.txt", "10.0.0.2 7\n");
    ASSERT_EQ(here.judge({"--packets", "quiet.txt", "--events", "log"}).exit_code, 0);
    EXPECT_EQ(here.read("log"), "");
}

TEST(gate_metrics, are_written_in_the_text_format_of_prometheus) {
    const striking_gate here;
    ASSERT_EQ(here.judge({"--packets", "packets.txt", "--metrics", "gate.prom"}).exit_code, 0);
    const std::string text = here.read("gate.prom");
    // Every line is a comment of the two known kinds or "name{label="value"} number", and every name has its comments before it.
    const std::regex comment(R"(# (HELP|TYPE) ([a-z_]+) .+)");
    const std::regex sample(R"(([a-z_]+)(\{[a-z]+="[a-z_]+"\})? ([0-9.e+-]+))");
    std::map<std::string, int> described;
    std::map<std::string, double> values;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch parts;
        if (std::regex_match(line, parts, comment)) {
            ++described[parts[2]];
        } else {
            ASSERT_TRUE(std::regex_match(line, parts, sample)) << line;
            EXPECT_EQ(described[parts[1]], 2) << line;
            values[parts[1].str() + parts[2].str()] = std::stod(parts[3]);
        }
    }
    EXPECT_EQ(values.at(R"(everbloom_gate_packets_total{verdict="accept"})"), 1);
    EXPECT_EQ(values.at(R"(everbloom_gate_packets_total{verdict="bad"})"), 3);
    EXPECT_EQ(values.at(R"(everbloom_gate_packets_total{verdict="reject"})"), 1);
    EXPECT_EQ(values.at("everbloom_gate_strikes_total"), 3);
    EXPECT_EQ(values.at("everbloom_gate_bans_total"), 1);
    EXPECT_EQ(values.at("everbloom_gate_senders"), 1);
    EXPECT_EQ(here.judge({"--packets", "packets.txt", "--metrics", "gate.prom", "--exact"}).exit_code, 0);
    EXPECT_EQ(here.read("gate.prom").find("filter_fpr"), std::string::npos);
    expect_trouble(here.judge({"--packets", "packets.txt", "--metrics", "packets.txt"}), "packets.txt");
}

TEST(gate_checkpoints, leave_the_state_of_the_packets_before_them_when_the_run_fails) {
    const striking_gate here;
    // The last line is malformed: the run fails, and the packets before the last checkpoint are kept.
    const std::string good = "10.0.0.1 deadbeef\n10.0.0.2 deadbeef\n10.0.0.1 deadbeef\n";
    const auto failed = here.shell("( printf '" + good +
                                   "'; sleep 0.3; printf 'nonsense\n' ) | everbloom gate --patterns "
                                   "patterns.txt --packets - --format text --state s --checkpoint-packets 1");
    EXPECT_EQ(failed.exit_code, 3) << failed.err; // changed, but something failed afterwards
    here.write("one.txt", "10.0.0.1 deadbeef\n10.0.0.1 7\n");
    const auto resumed = here.run({"gate", "--packets", "one.txt", "--state", "s", "--json"});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    const auto document = json::parse(resumed.out);
    EXPECT_EQ(document["packets"], 5);
    EXPECT_EQ(document["moved"], 1);
    EXPECT_EQ(document["rejected"], 1);
}

TEST(gate_checkpoints, equal_the_state_at_the_end_and_leave_one_set_of_files) {
    const striking_gate here;
    std::string packets;
    for (int i = 0; i < 2000; ++i) packets += "10.0." + std::to_string(i % 7) + ".1 " + std::to_string(i) + "\n";
    for (const auto& [state, more] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"plain", {}}, {"often", {"--checkpoint-packets", "1"}}, {"timed", {"--checkpoint", "0.0001"}}}) {
        std::vector<std::string> arguments{"gate", "--patterns", "patterns.txt", "--packets", "-", "--format",
                                           "text", "--state",    state,          "--seed",    "1", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto ran = here.run(arguments, packets);
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        std::size_t files = 0;
        for (const auto& one : std::filesystem::directory_iterator(here.path() / state)) files += one.exists() ? 1 : 0;
        EXPECT_EQ(files, 7U) << state; // gate.json, patterns, networks, two filters, senders, connections
    }
    const auto number = [&](const std::string& state) {
        return json::parse(here.read(state + "/gate.json"))["save"].get<int>();
    };
    EXPECT_EQ(number("plain"), 1);
    EXPECT_GT(number("often"), 2);
    const std::string last = std::to_string(number("often"));
    EXPECT_EQ(here.read("plain/senders.1.bin"), here.read("often/senders." + last + ".bin"));
}

TEST(gate_checkpoints, are_for_live_runs) {
    const striking_gate here;
    expect_trouble(here.judge({"--packets", "packets.txt", "--state", "s", "--checkpoint", "5"}),
                   "--checkpoint is for");
    expect_trouble(here.judge({"--packets", "-", "--checkpoint", "5"}), "--checkpoint is for");
    expect_trouble(here.judge({"--packets", "-", "--state", "s", "--checkpoint", "soon"}), "--checkpoint: 'soon'");
    expect_trouble(here.judge({"--packets", "-", "--state", "s", "--checkpoint-packets", "0"}), "--checkpoint-packets");
}

TEST(gate_state_of_version_1, is_read_and_saved_as_the_new_one) {
    const workbench here;
    std::filesystem::copy(std::string(EVERBLOOM_SOURCE_DIR) + "/tests/golden/gate_state_1", here.path() / "s");
    // 10.0.0.1 and 10.0.0.3 have strikes, 10.0.0.2 has sent cafe0001 of the pattern cafe0001 cafe0002, 10.0.0.4 is banned.
    here.write("packets.txt", "10.0.0.2 cafe0002\n10.0.0.3 deadbeef\n10.0.0.4 1\n10.0.0.9 1\n10.0.0.1 deadbeef\n");
    here.write("ask.txt", "10.0.0.1\n10.0.0.2\n10.0.0.3\n10.0.0.4\n10.0.0.9\n10.0.0.5\n");
    const auto ran = here.run({"gate", "--packets", "packets.txt", "--state", "s", "--compare", "--query", "ask.txt",
                               "--verdicts", "v", "--quiet"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(here.read("v"), "9 10.0.0.2 BAD BAD\n10 10.0.0.3 BAD BAD\n11 10.0.0.4 REJECT REJECT\n"
                              "12 10.0.0.9 REJECT REJECT\n13 10.0.0.1 BAD BAD\n");
    EXPECT_EQ(ran.out, "10.0.0.1 GOOD\n10.0.0.2 GOOD\n10.0.0.3 BAD\n10.0.0.4 BAD\n10.0.0.9 BAD\n10.0.0.5 NEITHER\n");
    EXPECT_EQ(json::parse(here.read("s/gate.json"))["everbloom_gate"], 2);
    // And with patterns of bytes, which it did not know.
    here.write("patterns.txt", "\"abcd\"\n");
    here.write("more.txt", "10.0.0.1 2e616263 642e2e2e\n");
    ASSERT_EQ(here.run({"gate", "--packets", "more.txt", "--patterns", "patterns.txt", "--state", "s", "--compare",
                        "--verdicts", "v", "--quiet"})
                  .exit_code,
              0);
    EXPECT_EQ(here.read("v"), "14 10.0.0.1 BAD BAD\n");
}

} // namespace
} // namespace everbloom::support
