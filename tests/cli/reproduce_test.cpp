// `everbloom reproduce`: the document that programs rely on, the files it writes, and verdicts that are known to be right. Every
// experiment of every paper runs here once, at the smallest scale; its verdicts are those of the larger ones.
#include "cli/workbench.hpp"
#include "support/capture_bytes.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace everbloom::support {
namespace {

using nlohmann::json;

json reproduce(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "reproduce");
    arguments.insert(arguments.end(), {"--scale", "glance", "--json"});
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return json::parse(ran.out);
}

const json& claim_named(const json& document, const std::string& id) {
    for (const json& one : document["claims"]) {
        if (one["id"] == id) return one;
    }
    static const json nothing = json::object();
    ADD_FAILURE() << "there is no claim " << id;
    return nothing;
}

std::string verdict_of(const json& document, const std::string& id) {
    return claim_named(document, id).value("verdict", "");
}

/// What every document must look like, whatever it says.
void expect_shape(const json& document) {
    for (const char* member : {"paper", "scale", "seed", "artefacts", "claims"}) {
        EXPECT_TRUE(document.contains(member)) << member;
    }
    for (const json& artefact : document["artefacts"]) {
        SCOPED_TRACE(artefact["id"].dump());
        EXPECT_FALSE(artefact["title"].get<std::string>().empty());
        EXPECT_FALSE(artefact["points"].empty());
        for (const json& point : artefact["points"]) {
            EXPECT_TRUE(point["x"].is_number());
            EXPECT_FALSE(point["series"].get<std::string>().empty());
            for (const char* member : {"paper", "model", "measured", "low", "high"}) {
                EXPECT_TRUE(point[member].is_number() || point[member].is_null()) << member;
            }
            if (point["measured"].is_null()) continue;
            EXPECT_LE(point["low"], point["measured"]);
            EXPECT_LE(point["measured"], point["high"]);
        }
    }
    const std::set<std::string> verdicts{"reproduced", "deviates", "contradicted", "not tested", "not comparable"};
    std::set<std::string> artefacts;
    for (const json& artefact : document["artefacts"]) artefacts.insert(artefact["id"]);
    for (const json& claim : document["claims"]) {
        SCOPED_TRACE(claim["id"].dump());
        for (const char* member : {"where", "statement"}) EXPECT_FALSE(claim[member].get<std::string>().empty());
        for (const char* member : {"paper", "tolerance"}) EXPECT_TRUE(claim[member].is_number()) << member;
        // Null: nothing could be decided, as where two speeds are too close to each other. That is no verdict.
        EXPECT_TRUE(claim["measured"].is_number() || claim["verdict"] == "not tested" ||
                    claim["verdict"] == "not comparable");
        EXPECT_TRUE(claim["verdict"] != "not tested" || claim["measured"].is_null());
        // Whoever allows a tolerance says why.
        EXPECT_TRUE(claim["tolerance"] == 0 || !claim["because"].get<std::string>().empty());
        for (const json& id : claim["artefacts"]) EXPECT_EQ(artefacts.count(id.get<std::string>()), 1U) << id;
        if (claim.contains("counted")) {
            EXPECT_LE(claim["counted"]["held"], claim["counted"]["cases"]);
        }
        EXPECT_EQ(verdicts.count(claim["verdict"].get<std::string>()), 1U);
        EXPECT_EQ(claim.contains("why"), claim["verdict"] != "reproduced");
    }
}

void expect_artefacts(const json& document, const std::vector<std::string>& wanted) {
    std::vector<std::string> ids;
    for (const json& artefact : document["artefacts"]) ids.push_back(artefact["id"]);
    EXPECT_EQ(ids, wanted);
}

void expect_verdicts(const json& document, const std::map<std::string, std::string>& wanted) {
    EXPECT_EQ(document["claims"].size(), wanted.size());
    for (const auto& [id, verdict] : wanted) {
        EXPECT_EQ(verdict_of(document, id), verdict) << claim_named(document, id).dump(2);
    }
}

TEST(reproduce_command, names_the_errata_of_dfp_and_finds_the_rest_true) {
    const json seen = reproduce({"dfp"});
    expect_shape(seen);
    EXPECT_EQ(seen["paper"], "dfp");
    EXPECT_EQ(seen["scale"], "glance");
    EXPECT_EQ(seen["seed"], 1);
    expect_artefacts(seen, {"eq2",      "eq3",        "fig3",    "fig4",      "fig4_undeletable",
                            "fig5",     "removed_10", "fig6",    "fig7",      "removed_40",
                            "removals", "crossings",  "reach",   "churn_fpr", "churn_deletability",
                            "fig4_k2",  "fig5_k2",    "fig4_k3", "fig5_k3",   "fpcbf"});
    expect_verdicts(seen, {{"eq2", "reproduced"},
                           {"eq3", "reproduced"},
                           {"original-overestimates", "reproduced"},
                           {"eq1-typo", "reproduced"},
                           {"corrected-model", "reproduced"},
                           {"more-deletable-than-dlbf", "deviates"},
                           {"less-deletable-than-tbf-two-bit", "contradicted"},
                           {"less-deletable-than-tbf-packed", "reproduced"},
                           {"less-deletable-than-qbf", "reproduced"},
                           {"less-dependent-on-load", "reproduced"},
                           {"large-regions", "reproduced"},
                           {"fpr-below-tbf-and-qbf", "reproduced"},
                           {"reduction-above-two", "reproduced"},
                           {"fpr-can-exceed-dlbf", "reproduced"},
                           {"qbf-higher-fpr", "deviates"},
                           {"dlbf-fpr", "reproduced"},
                           {"gain-after-removals", "reproduced"},
                           {"degradation-grows", "reproduced"},
                           {"model-after-removals", "reproduced"},
                           {"deletability-unchanged", "reproduced"},
                           {"crossing-loads", "reproduced"},
                           {"churn-model", "reproduced"},
                           {"other-k-fpr", "reproduced"},
                           {"other-k-less-deletable", "reproduced"},
                           {"other-k-more-deletable", "deviates"},
                           {"fpcbf-lower-fpr", "reproduced"},
                           {"fpcbf-memory", "reproduced"},
                           {"fpcbf-same-bits", "reproduced"}});
    EXPECT_FALSE(seen.contains("machine")) << "no speeds";
    EXPECT_GT(claim_named(seen, "reduction-above-two")["measured"], 4);
    EXPECT_TRUE(claim_named(seen, "more-deletable-than-dlbf").contains("erratum"));
    // The loads that the text leaves open: e^x = 1 + (1 + 1/s) x for x = kn/m.
    const std::string why = claim_named(seen, "more-deletable-than-dlbf")["why"];
    for (const char* load : {"0.108", "0.058", "0.030"}) EXPECT_NE(why.find(load), std::string::npos) << why;
}

TEST(reproduce_command, names_the_errata_of_dleft) {
    const json seen = reproduce({"dleft", "--only", "space", "construction"});
    expect_shape(seen);
    expect_artefacts(seen, {"space", "ambiguous"});
    expect_verdicts(seen, {{"space-from-7", "reproduced"},
                           {"space-factor-14", "contradicted"},
                           {"space-nine-counters", "reproduced"},
                           {"space-eleven-bits", "reproduced"},
                           {"bits-formula", "reproduced"},
                           {"natural-ambiguous", "reproduced"},
                           {"one-remainder", "reproduced"},
                           {"fourth-never-full", "reproduced"},
                           {"low-order-less-effective", "reproduced"}});
}

TEST(reproduce_command, names_the_errata_of_the_summary) {
    const json seen = reproduce({"summary"});
    expect_shape(seen);
    expect_artefacts(
        seen, {"sizing", "space", "counters", "absent", "deleted", "members", "space_of_deletion", "modulo", "gate"});
    expect_verdicts(seen, {{"sizing-rule", "reproduced"},
                           {"rate-formula", "deviates"},
                           {"rate-guaranteed", "contradicted"},
                           {"constant-space", "contradicted"},
                           {"four-bit-counters", "reproduced"},
                           {"four-bit-repeats", "contradicted"},
                           {"no-false-negatives", "reproduced"},
                           {"shared-bit", "reproduced"},
                           {"counting-exact", "reproduced"},
                           {"deleted-values-lose-members", "reproduced"},
                           {"deleted-values-more-error", "deviates"},
                           {"deleted-values-same-space", "reproduced"},
                           {"at-least-double", "contradicted"},
                           {"modulo", "reproduced"},
                           {"modulo-formula", "reproduced"},
                           {"tree-structure", "contradicted"},
                           {"md5", "not tested"},
                           {"gate-small", "reproduced"},
                           {"gate-large", "reproduced"}});
}

/// Like expect_verdicts, for a paper that also has claims about speed: those depend on the machine and are looked for, not judged.
void expect_verdicts_beside_speeds(const json& document, const std::map<std::string, std::string>& wanted,
                                   const std::vector<std::string>& speeds) {
    EXPECT_EQ(document["claims"].size(), wanted.size() + speeds.size());
    for (const auto& [id, verdict] : wanted) {
        EXPECT_EQ(verdict_of(document, id), verdict) << claim_named(document, id).dump(2);
    }
    for (const std::string& id : speeds) EXPECT_NE(verdict_of(document, id), "");
}

TEST(reproduce_command, names_the_errata_of_elastic_and_measures_its_speeds) {
    const json seen = reproduce({"elastic", "--only", "fig3", "fig4", "fig5", "fig6", "fig8a", "fig8b", "fig9",
                                 "theorem_4_2", "bucket_size", "parameters"});
    expect_shape(seen);
    EXPECT_GE(seen["machine"]["cores"], 1) << "speeds say where they were measured";
    expect_artefacts(seen, {"fig3", "fig4", "fig5_insertion", "fig5_present", "fig5_random", "fig5_deletion", "fig6_2",
                            "fig6_4", "fig6_8", "fig8a", "fig8b", "fig9a", "fig9b", "alternating", "bucket_overflow",
                            "bucket_size", "set_bits"});
    expect_verdicts_beside_speeds(seen,
                                  {{"fixed-size-worst", "reproduced"},
                                   {"chains-get-worse", "reproduced"},
                                   {"elastic-best", "reproduced"},
                                   {"rate-below-threshold", "reproduced"},
                                   {"rate-model", "reproduced"},
                                   {"best-for-all-sizes", "reproduced"},
                                   {"slow-memory-mostly-less", "reproduced"},
                                   {"counting-better-at-the-end", "reproduced"},
                                   {"fixed-buckets-mostly-less", "contradicted"},
                                   {"load-falls-with-size", "reproduced"},
                                   {"load-rises-with-branches", "reproduced"},
                                   {"more-branches-more-buckets", "contradicted"},
                                   {"load-rises-with-bucket", "reproduced"},
                                   {"load-model", "reproduced"},
                                   {"bucket-size", "contradicted"},
                                   {"lemma-condition", "contradicted"},
                                   {"first-items-do-not-expand", "contradicted"},
                                   {"sign-of-k", "contradicted"},
                                   {"sign-of-m", "contradicted"},
                                   {"table-1-size", "contradicted"},
                                   {"amortised-cost", "reproduced"},
                                   {"one-level-overflows", "reproduced"},
                                   {"insertion-slower", "not comparable"},
                                   {"deletion-faster", "not comparable"},
                                   {"mix-slower-at-1-2-2", "not comparable"},
                                   {"mix-gains-with-queries", "not comparable"},
                                   {"mix-fastest-at-1-8-8", "not comparable"}},
                                  {"query-faster", "lazy-lowest", "rebuilding-highest", "expansion-grows-with-load"});
    EXPECT_NEAR(claim_named(seen, "first-items-do-not-expand")["measured"], 0.268, 0.005); // 1 - e^(-5/16)
    EXPECT_TRUE(claim_named(seen, "more-branches-more-buckets").contains("erratum"));
}

TEST(reproduce_command, puts_the_filters_of_today_beside_ours) {
    const json seen = reproduce({"today"});
    expect_shape(seen);
    expect_artefacts(seen, {"space_deletable", "space_kinds", "space_static", "growth_fpr", "growth_lines",
                            "growth_bits", "negatives_known_1", "negatives_other_1", "negatives_known_10",
                            "negatives_other_10", "churn", "published_rates", "published_ribbon", "published_taffy"});
    expect_verdicts_beside_speeds(
        seen,
        {{"cuckoo-load", "reproduced"},
         {"cuckoo-space", "reproduced"},
         {"fuse-overhead", "reproduced"},
         {"fuse-rate", "reproduced"},
         {"ribbon-overhead", "reproduced"},
         {"expandable-rate", "reproduced"},
         {"expandable-one-place", "reproduced"},
         {"taffy-below-target", "reproduced"},
         {"taffy-logarithmic", "reproduced"},
         {"stacked-better", "reproduced"},
         {"cascade-exact", "reproduced"},
         {"complement-loses-members", "reproduced"},
         {"rival-formulas", "reproduced"},
         {"no-member-lost", "reproduced"},
         {"quotient-filter-loses-bits", "reproduced"},
         {"cuckoo-does-not-grow", "reproduced"},
         {"quotient-keeps-rate", "reproduced"},
         {"negatives-no-member-lost", "reproduced"},
         {"fingerprints-keep-deleting", "reproduced"},
         {"churn-no-member-lost", "reproduced"},
         {"cuckoo-table", "reproduced"},
         {"quotient-table", "reproduced"},
         {"fingerprint-overhead", "reproduced"},
         {"ribbon-table-half", "reproduced"},
         {"ribbon-table-twentieth", "reproduced"},
         {"fuse-table", "reproduced"},
         {"taffy-table-space", "reproduced"},
         {"cascade-table", "reproduced"}},
        // Who wins by how much depends on the size; that they are compared does not. Few queries measure the
        // FPR of the Taffy filter at this scale.
        {"taffy-table-rate", "habf-better", "quotient-smallest", "fuse-smaller-than-export", "yes-no-better"});
    for (const char* id : {"habf-better", "quotient-smallest", "fuse-smaller-than-export", "yes-no-better"}) {
        EXPECT_NE(verdict_of(seen, id), "not tested") << claim_named(seen, id).dump(2);
    }
    // A number of another author has an address, unless it is from one of the papers that this program re-runs.
    for (const json& claim : seen["claims"]) {
        const bool needs_source = claim["ours"] == false && claim["id"] != "complement-loses-members";
        EXPECT_EQ(claim.value("source", "").starts_with("http"), needs_source) << claim["id"];
    }
    // What a filter cannot hold is said, not left out.
    std::map<std::string, std::string> notes;
    for (const json& artefact : seen["artefacts"]) {
        if (artefact.contains("notes")) notes[artefact["id"]] = artefact["notes"].dump();
    }
    EXPECT_NE(notes["growth_fpr"].find("cuckoo filter, 10 bits: refuses keys beyond"), std::string::npos);
    EXPECT_NE(notes["growth_fpr"].find("quotient filter (2012), r = 7: refuses keys beyond"), std::string::npos);
    EXPECT_NE(notes["negatives_known_10"].find("Bloom cascade: 1000 members and 10000 negatives need about"),
              std::string::npos);
}

/// A network with a path of two links and three others beside them.
constexpr const char* small_network = R"(<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/>
</graph></graphml>
)";

TEST(reproduce_command, names_the_errata_of_yesno) {
    const json seen = reproduce({"yesno"});
    expect_shape(seen);
    expect_artefacts(seen, {"fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig12_fixed_m", "fig13",
                            "fig14", "fig16", "fig17", "fig18", "eq24", "eq30", "assignment", "cost", "second_order"});
    // Without the Topology Zoo nothing can be said about its networks.
    const std::vector<std::string> not_tested{"tata-hops", "tata-bloom", "tata-yes-no", "two-large", "ratio-at-35"};
    std::map<std::string, std::string> wanted{{"minimum-over-k", "reproduced"},
                                              {"small-k-better", "reproduced"},
                                              {"no-filters-reduce-over-k", "reproduced"},
                                              {"eq5", "reproduced"},
                                              {"minimum-over-no-hashes", "reproduced"},
                                              {"no-hashes-matter-little", "contradicted"},
                                              {"no-hashes-below-bloom", "deviates"},
                                              {"grows-with-n", "reproduced"},
                                              {"crossover", "reproduced"},
                                              {"no-filters-reduce-over-n", "reproduced"},
                                              {"minimum-over-q", "contradicted"},
                                              {"minimum-over-q-same-size", "reproduced"},
                                              {"q-below-bloom", "reproduced"},
                                              {"q-matters-little", "contradicted"},
                                              {"r-0-is-bloom", "reproduced"},
                                              {"r-below-bloom", "reproduced"},
                                              {"r-falls", "reproduced"},
                                              {"minimum-over-r", "reproduced"},
                                              {"eq24", "contradicted"},
                                              {"eq24-corrected", "reproduced"},
                                              {"eq24-split", "reproduced"},
                                              {"eq30", "contradicted"},
                                              {"veto-share", "reproduced"},
                                              {"first-fit-ones", "reproduced"},
                                              {"first-fit-model", "reproduced"},
                                              {"fewer-no-hashes", "deviates"},
                                              {"no-filter-length", "contradicted"},
                                              {"no-false-negatives", "reproduced"},
                                              {"query-cost", "deviates"},
                                              {"consistently-lower", "reproduced"},
                                              {"search-gain", "reproduced"},
                                              {"search-reaches-bound", "reproduced"},
                                              {"seeds-gain", "reproduced"},
                                              {"search-below-bloom", "reproduced"},
                                              {"hopeless-formula", "reproduced"},
                                              {"hopeless-bound", "reproduced"},
                                              {"construction-cost", "reproduced"},
                                              {"second-order", "reproduced"}};
    for (const std::string& id : not_tested) {
        wanted[id] = "not tested";
        EXPECT_TRUE(claim_named(seen, id)["measured"].is_null()) << id;
        const std::string why = claim_named(seen, id)["why"];
        EXPECT_NE(why.find("not tested"), std::string::npos) << why;
    }
    expect_verdicts(seen, wanted);
    EXPECT_TRUE(claim_named(seen, "eq24").contains("erratum"));
    EXPECT_TRUE(claim_named(seen, "minimum-over-q").contains("erratum"));
}

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

TEST(reproduce_command, the_same_seed_gives_the_same_document_whatever_the_threads) {
    const json one = reproduce({"dfp", "--only", "fig3", "--seed", "7", "--threads", "1"});
    const json three = reproduce({"dfp", "--only", "fig3", "--seed", "7", "--threads", "3"});
    const json other = reproduce({"dfp", "--only", "fig3", "--seed", "8", "--threads", "3"});
    EXPECT_EQ(one, three);
    EXPECT_NE(one["artefacts"], other["artefacts"]);
}

TEST(reproduce_command, prints_a_table_with_reasons) {
    const auto ran = run_program({"reproduce", "dfp", "--only", "fig4", "--scale", "glance"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("contradicted    less-deletable-than-tbf-two-bit"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("can delete the same number of members"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("4 reproduced, 1 deviating, 1 contradicted"), std::string::npos) << ran.out;
}

TEST(reproduce_command, writes_a_page_tables_and_pictures) {
    const workbench here;
    const auto ran = here.run({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--out", "a/report"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(here.read("a/report/dfp/fig3.csv").starts_with("series,x,paper,model,measured,low,high,setting\n"));
    const std::string picture = here.read("a/report/dfp/fig3.svg");
    EXPECT_NE(picture.find("<svg"), std::string::npos);
    EXPECT_NE(picture.find("original model"), std::string::npos);
    const std::string page = here.read("a/report/dfp.html");
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_NE(page.find("<svg"), std::string::npos);
    EXPECT_NE(page.find("tends to overestimate"), std::string::npos);
    // Claims and figures lead to each other, and the contents to both.
    EXPECT_NE(page.find("<nav"), std::string::npos);
    for (const char* link :
         {"href=\"#fig3\"", "href=\"#claim-corrected-model\"", "href=\"#claims\"", "id=\"figures\""}) {
        EXPECT_NE(page.find(link), std::string::npos) << link;
    }
    EXPECT_NE(page.find("The same command gives the same numbers.<"), std::string::npos) << "nothing was timed";
    // It needs no other file, here or elsewhere.
    for (const char* elsewhere : {"<script", "<img", "<link", "@import", "src="}) {
        EXPECT_EQ(page.find(elsewhere), std::string::npos) << elsewhere;
    }
    EXPECT_EQ(json::parse(here.read("a/report/dfp.json"))["claims"].size(), 3U);
}

TEST(reproduce_command, without_gnuplot_it_says_so_and_writes_the_rest) {
    const workbench here;
    const auto ran = run_program({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--out", "report"},
                                 {.directory = here.path().string(), .extra = {{"PATH", here.path().string()}}});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("no gnuplot"), std::string::npos) << ran.err;
    EXPECT_EQ(line_count(ran.err), 1U);
    const std::string page = here.read("report/dfp.html");
    EXPECT_EQ(page.find("<svg"), std::string::npos);
    EXPECT_NE(page.find("<table>"), std::string::npos);
}

TEST(reproduce_command, an_interrupted_run_goes_on_from_its_checkpoints) {
    const workbench here;
    const std::vector<std::string> command{"reproduce", "dfp",    "--only", "fig3",  "crossings",   "--scale",
                                           "glance",    "--seed", "5",      "--out", "interrupted", "--progress"};
    // A directory in the place of the document: the run ends after its experiments, as if it had been interrupted.
    std::filesystem::create_directories(here.path() / "interrupted/dfp.json");
    const auto broken = here.run(command);
    EXPECT_NE(broken.exit_code, 0);
    EXPECT_NE(broken.err.find("dfp fig3: 1 artefact, "), std::string::npos) << broken.err;
    EXPECT_EQ(broken.err.find("from its checkpoint"), std::string::npos) << broken.err;
    const std::string kept = here.read("interrupted/dfp/checkpoints/fig3.json");
    ASSERT_FALSE(kept.empty());
    std::filesystem::remove(here.path() / "interrupted/dfp.json");
    // A damaged checkpoint is not used, nor is one of another seed.
    here.write("interrupted/dfp/checkpoints/crossings.json", kept.substr(0, kept.size() / 2));
    auto other_seed = command;
    other_seed[8] = "6";
    other_seed[10] = "other";
    std::filesystem::create_directories(here.path() / "other/dfp/checkpoints");
    here.write("other/dfp/checkpoints/fig3.json", kept);
    const auto other = here.run(other_seed);
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_EQ(other.err.find("from its checkpoint"), std::string::npos) << other.err;

    const auto resumed = here.run(command);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_NE(resumed.err.find("dfp fig3: 1 artefact, from its checkpoint (1 of 2)"), std::string::npos) << resumed.err;
    EXPECT_EQ(resumed.err.find("crossings: 2 artefacts, from"), std::string::npos) << resumed.err;
    EXPECT_FALSE(std::filesystem::exists(here.path() / "interrupted/dfp/checkpoints"))
        << "they are not needed any more";
    auto whole = command;
    whole[10] = "whole";
    const auto ran = here.run(whole);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    for (const char* file : {"dfp.json", "dfp.html", "dfp/fig3.csv", "dfp/fig3.gp", "dfp/crossings.csv"}) {
        EXPECT_EQ(here.read(std::string("interrupted/") + file), here.read(std::string("whole/") + file)) << file;
    }
}

TEST(reproduce_command, an_archive_says_how_it_was_made) {
    const workbench here;
    const auto ran =
        here.run({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--seed", "9", "--out", "made"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const json run = json::parse(here.read("made/run.json"));
    EXPECT_EQ(run["command"], "everbloom reproduce dfp --scale glance --seed 9 --only fig3 --out DIR");
    EXPECT_EQ(run["seed"], 9);
    EXPECT_FALSE(run["build"].empty());
    EXPECT_TRUE(here.read("made/CITATION.cff").starts_with("cff-version: 1.2.0\n"));
    EXPECT_NE(here.read("made/redraw.sh").find("gnuplot"), std::string::npos);
    const std::string sums = here.read("made/checksums");
    for (const char* name : {"  dfp.html\n", "  dfp.json\n", "  dfp/fig3.csv\n", "  dfp/fig3.gp\n", "  run.json\n"}) {
        EXPECT_NE(sums.find(name), std::string::npos) << name << sums;
    }
    // 32 hexadecimal digits, two blanks, a name.
    EXPECT_EQ(sums.find("  "), 32U) << sums;
}

TEST(reproduce_command, several_papers_are_an_array_of_documents) {
    const json seen = reproduce({"--only", "crossings", "shared_bit"});
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0]["paper"], "dfp");
    EXPECT_EQ(seen[1]["paper"], "summary");
}

TEST(reproduce_command, refuses_what_it_does_not_know) {
    const workbench here;
    expect_trouble(here.run({"reproduce", "hamlet"}), "unknown paper 'hamlet'; available: dfp");
    expect_trouble(here.run({"reproduce", "dfp", "--only", "sizing"}), "unknown experiment 'sizing'; available: dfp");
    expect_trouble(here.run({"reproduce", "dfp", "--scale", "huge"}), "--scale");
    expect_trouble(here.run({"reproduce", "dfp", "--threads", "0"}), "--threads");
    expect_trouble(here.run({"reproduce", "dfp", "--seed", "x"}), "--seed");
    here.write("file", "");
    expect_trouble(here.run({"reproduce", "dfp", "--only", "fig3", "--out", "file/report"}), "file/report");
}

} // namespace
} // namespace everbloom::support
