// What `everbloom reproduce` can be given instead of its own random keys: networks, traces, captures, threads.
#include "cli/reproduced_documents.hpp"
#include "support/capture_bytes.hpp"

#include <filesystem>

namespace everbloom::support {
namespace {

/// A network with a path of two links and three others beside them.
constexpr const char* small_network = R"(<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/>
</graph></graphml>
)";

TEST(reproduce_command, sends_packets_through_the_networks_given) {
    const workbench here;
    for (const char* folder : {"zoo", "empty"}) std::filesystem::create_directory(here.path() / folder);
    here.write("zoo/small.graphml", small_network);
    here.write("zoo/readme.txt", "not a network");
    const std::vector<std::string> command{"reproduce", "yesno",        "--only", "fig16", "--scale",
                                           "glance",    "--topologies", "zoo",    "--json"};
    const auto ran = here.run(command);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const json seen = json::parse(ran.out);
    const std::string title = seen["artefacts"][0]["title"];
    EXPECT_NE(title.find("1 network in the directory given"), std::string::npos) << title;
    bool is_there = false;
    for (const json& point : seen["artefacts"][1]["points"]) is_there |= point["x"] == 2;
    EXPECT_TRUE(is_there) << seen["artefacts"][1].dump(1);

    here.write("zoo/broken.graphml", "<graphml>");
    expect_trouble(here.run(command), "broken.graphml");
    here.write("empty/file", "");
    expect_trouble(here.run({"reproduce", "yesno", "--only", "fig16", "--topologies", "empty"}),
                   "contains no .graphml files");
    expect_trouble(here.run({"reproduce", "yesno", "--only", "fig16", "--topologies", "nowhere"}), "nowhere");
    expect_trouble(here.run({"reproduce", "yesno", "--only", "fig8", "--topologies", "zoo"}),
                   "--topologies: none of these");
}

TEST(reproduce_command, several_threads_share_an_elastic_filter) {
    const json seen = reproduce({"elastic", "--only", "fig7"});
    expect_shape(seen);
    expect_artefacts(seen, {"fig7"});
    EXPECT_EQ(seen["artefacts"][0]["points"].size(), 8U); // 1, 2, 4 and 16 threads, two filters
    EXPECT_EQ(verdict_of(seen, "threads-faster-than-parbf"), "not comparable");
    if (seen["machine"]["cores"] < 16) {
        EXPECT_EQ(verdict_of(seen, "sixteen-threads"), "not tested");
    }
}

TEST(reproduce_command, takes_the_keys_of_a_trace) {
    const workbench here;
    std::string trace;
    for (int i = 0; i < 40'000; ++i) trace += "flow " + std::to_string(i % 30'000) + "\n"; // some keys come twice
    here.write("flows.txt", trace);
    const auto ran =
        here.run({"reproduce", "elastic", "--only", "fig3", "--keys", "flows.txt", "--scale", "glance", "--json"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const json seen = json::parse(ran.out);
    expect_shape(seen);
    EXPECT_EQ(verdict_of(seen, "elastic-best"), "reproduced");
    EXPECT_EQ(verdict_of(seen, "rate-model"), "reproduced"); // of the different keys
    double farthest = 0;
    for (const json& point : seen["artefacts"][0]["points"]) farthest = std::max(farthest, point["x"].get<double>());
    EXPECT_EQ(farthest, 2); // 2^15 insertions; the trace ends before the next place

    here.write("few.txt", "a\nb\n");
    expect_trouble(here.run({"reproduce", "elastic", "--only", "fig3", "--keys", "few.txt", "--scale", "glance"}),
                   "the trace has 2 keys");
    here.write("none.txt", "");
    expect_trouble(here.run({"reproduce", "elastic", "--only", "fig3", "--keys", "none.txt"}), "contains no keys");
    expect_trouble(here.run({"reproduce", "elastic", "--only", "fig3", "--keys", "missing.txt"}), "missing.txt");
    expect_trouble(here.run({"reproduce", "dfp", "--only", "fig3", "--keys", "flows.txt"}), "--keys: none of these");
}

/// The packet number i of 40,000 of 30,000 flows, IPv4 and IPv6 in turn. Flows differ from others in one part of the five-tuple only.
std::string frame_of_flow(unsigned i) {
    const unsigned flow = i % 30'000;
    const unsigned number = flow / 5;
    const unsigned part =
        flow % 5; // sender, receiver, port of the sender, of the receiver, or protocol: TCP instead of UDP
    const bool is_v6 = i % 2 == 1;
    const std::string ports = be16(part == 2 || part == 4 ? 1000 + number : 7) + be16(part == 3 ? 1000 + number : 7);
    const bool is_tcp = part == 4;
    const std::string carried =
        is_tcp ? ports + be32(1) + be32(1) + be8(0x50) + be8(0x18) + be16(1024) + be32(0) : ports + be16(8) + be16(0);
    const unsigned protocol = is_tcp ? protocol_tcp : protocol_udp;
    const unsigned sender = part == 0 ? number : 7777;
    std::string packet =
        is_v6 ? ipv6("2001:db8::" + std::to_string(sender), protocol, carried)
              : ipv4("10.0." + std::to_string(sender / 256) + "." + std::to_string(sender % 256), protocol, carried);
    if (part == 1) packet.replace(is_v6 ? 38 : 18, 2, be16(number)); // the last bytes of the receiver
    return ethernet(is_v6 ? type_ipv6 : type_ipv4, packet);
}

TEST(reproduce_command, takes_the_five_tuples_of_a_capture) {
    const workbench here;
    std::vector<std::string> frames;
    std::string lines;
    for (unsigned i = 0; i < 40'000; ++i) {
        frames.push_back(frame_of_flow(i));
        lines += std::to_string(i % 30'000) + "\n";
    }
    frames.push_back(ethernet(type_arp, "no address of the Internet"));
    here.write("flows.pcap", pcap_file(link_ethernet, frames));
    here.write("flows.pcapng", pcapng_file(link_ethernet, frames));
    here.write("flows.txt", lines);
    // How much slow memory a filter needs after each expansion is decided by the number of different keys: five-tuples and lines agree.
    const auto slow_memory = [&](const char* file) {
        const auto ran =
            here.run({"reproduce", "elastic", "--only", "fig8a", "--keys", file, "--scale", "glance", "--json"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        std::vector<double> seen;
        const json report = json::parse(ran.out);
        for (const json& point : report["artefacts"][0]["points"]) seen.push_back(point["measured"].get<double>());
        return seen;
    };
    const auto captured = slow_memory("flows.pcap");
    const auto listed = slow_memory("flows.txt");
    ASSERT_EQ(captured.size(), listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) EXPECT_NEAR(captured[i], listed[i], 0.05 * listed[i]) << i;
    EXPECT_EQ(slow_memory("flows.pcapng"), captured);

    const auto refused = [&](const char* file, const std::string& why) {
        expect_trouble(here.run({"reproduce", "elastic", "--only", "fig8a", "--keys", file}), why);
    };
    here.write("no_ip.pcap", pcap_file(link_ethernet, {ethernet(type_arp, "nothing here")}));
    refused("no_ip.pcap", "contains no IP packets");
    here.write("wifi.pcap", pcap_file(link_wifi, {"x"}));
    refused("wifi.pcap", "wifi.pcap");
    here.write("damaged.pcap", pcap_file(link_ethernet, {frames[0]}) + std::string(16, '\xff') + "behind");
    refused("damaged.pcap", "damaged.pcap");
}

TEST(reproduce_command, slow_memory_and_load_rate_follow_a_trace_as_far_as_it_goes) {
    const workbench here;
    std::string different;
    for (int i = 0; i < 33'000; ++i) different += "flow " + std::to_string(i) + "\n";
    here.write("different.txt", different);
    const auto run_with = [&](const char* file) {
        return here.run(
            {"reproduce", "elastic", "--only", "fig8a", "fig9", "--keys", file, "--scale", "glance", "--json"});
    };
    const auto ran = run_with("different.txt");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const json seen = json::parse(ran.out);
    EXPECT_EQ(verdict_of(seen, "counting-better-at-the-end"), "not tested"); // needs 2^22 bits
    EXPECT_EQ(verdict_of(seen, "load-model"), "reproduced");
    EXPECT_EQ(verdict_of(seen, "load-falls-with-size"), "reproduced"); // 2^12 and 2^14 buckets

    // Repeated keys fill the same buckets: these overflow with far fewer fingerprints.
    std::string repeated;
    for (int i = 0; i < 33'000; ++i) repeated += "flow " + std::to_string(i % 1000) + "\n";
    here.write("repeated.txt", repeated);
    const auto again = run_with("repeated.txt");
    ASSERT_EQ(again.exit_code, 0) << again.err;
    const json other = json::parse(again.out);
    EXPECT_EQ(verdict_of(other, "load-model"), "not tested");
    const auto lowest = [](const json& report) {
        double found = 1;
        for (const json& one : report["artefacts"]) {
            if (one["id"] != "fig9a") continue;
            for (const json& point : one["points"]) found = std::min(found, point["measured"].get<double>());
        }
        return found;
    };
    EXPECT_LT(lowest(other), 0.5 * lowest(seen));

    here.write("few.txt", "a\nb\n");
    for (const char* one : {"fig8a", "fig9"}) {
        expect_trouble(here.run({"reproduce", "elastic", "--only", one, "--keys", "few.txt", "--scale", "glance"}),
                       "the trace has 2 keys");
    }
}

} // namespace
} // namespace everbloom::support
