// `route`: networks are read as they are drawn, packets arrive, and strange input is answered with a sentence.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace everbloom::support {
namespace {

using json = nlohmann::json;

json document(const program_result& ran) {
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return json::parse(ran.out);
}

json routed(const workbench& here, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "route");
    arguments.emplace_back("--json");
    return document(here.run(arguments));
}

std::string graph(std::string_view inside, std::string_view direction = "undirected") {
    return "<graphml><key id='l' for='node' attr.name='label'/><graph edgedefault='" + std::string(direction) + "'>" +
           std::string(inside) + "</graph></graphml>";
}

std::string node(const std::string& id, const std::string& label) {
    return "<node id='" + id + "'><data key='l'>" + label + "</data></node>";
}

TEST(route, the_longest_shortest_path_is_found_and_its_neighbours_counted) {
    const workbench here;
    const json told = routed(here, {"ring"});
    EXPECT_EQ(told["topology"], "ring");
    EXPECT_EQ(told["nodes"], 24);
    EXPECT_EQ(told["links"], 58);
    EXPECT_EQ(told["hops"], 9);
    EXPECT_EQ(told["path"].size(), 10U);
    EXPECT_EQ(told["members"], 9);
    EXPECT_EQ(told["negatives"], 17);
    EXPECT_EQ(told["path"].front(), told["source"]);
    EXPECT_EQ(told["path"].back(), told["destinations"][0]);
    EXPECT_NE(here.run({"route", "ring"}).out.find("9 hops, the longest shortest path"), std::string::npos);
    EXPECT_EQ(here.run({"route", "ring", "--quiet"}).out, "");
}

TEST(route, a_packet_arrives_whatever_its_header_looks_like) {
    const workbench here;
    for (const std::string network : {"ring", "backbone", "satellites"}) {
        for (const std::string bits : {"16", "64", "192"}) {
            for (const std::string seed : {"1", "2", "3"}) {
                const json told = routed(here, {network, "--yes-bits", bits, "--no-bits", "9", "--seed", seed});
                for (const char* kind : {"bloom", "yes_no"}) {
                    EXPECT_EQ(told[kind]["destinations_missed"].size(), 0U) << network << bits << kind;
                    EXPECT_GE(told[kind]["false_links"], told[kind]["false_positives"]);
                    EXPECT_EQ(told[kind]["links_used"].get<int>(),
                              told["members"].get<int>() + told[kind]["false_links"].get<int>());
                }
            }
        }
    }
}

TEST(route, a_header_given_back_goes_the_same_way) {
    const workbench here;
    for (const std::vector<std::string>& shape : {std::vector<std::string>{},
                                                  {"--yes-bits", "40", "--no-bits", "11", "--no-filters", "3"},
                                                  {"--seeds", "16"}}) {
        std::vector<std::string> arguments{"backbone", "--seed", "5"};
        arguments.insert(arguments.end(), shape.begin(), shape.end());
        const json built = routed(here, arguments);
        for (const auto& [name, kind] : {std::pair{"yes-no", "yes_no"}, {"bloom", "bloom"}}) {
            auto again = arguments;
            again.insert(again.end(), {"--encoding", name, "--header", built[kind]["header"]});
            const json given = routed(here, again);
            EXPECT_EQ(given[kind], built[kind]);
            EXPECT_EQ(given[kind == std::string("bloom") ? "yes_no" : "bloom"], nullptr);
        }
    }
}

TEST(route, several_seeds_take_one_byte_in_front) {
    const workbench here;
    EXPECT_EQ(routed(here, {"backbone"})["yes_no"]["header_bytes"], 32);
    const json told = routed(here, {"backbone", "--seeds", "200", "--yes-bits", "40", "--no-bits", "8"});
    const std::string header = told["yes_no"]["header"];
    EXPECT_EQ(told["yes_no"]["header_bytes"], 8);
    EXPECT_EQ(header.size(), 16U);
    EXPECT_EQ(std::stoi(header.substr(0, 2), nullptr, 16), told["yes_no"]["seed"]);
    EXPECT_EQ(told["bloom"]["header_bytes"], 7);
}

TEST(route, an_empty_header_goes_nowhere_and_a_full_one_everywhere) {
    const workbench here;
    const auto lost = here.run({"route", "ring", "--header", std::string(64, '0')});
    EXPECT_EQ(lost.exit_code, 1);
    EXPECT_NE(lost.out.find("does not reach Node 12 (r12)"), std::string::npos) << lost.out;
    const json flood = routed(here, {"ring", "--header", std::string(48, 'f') + std::string(16, '0')});
    EXPECT_EQ(flood["yes_no"]["nodes_reached"], 24);
    EXPECT_EQ(flood["yes_no"]["links_used"], 58);
    EXPECT_EQ(flood["yes_no"]["false_positives"], flood["negatives"]);
    EXPECT_GT(flood["yes_no"]["loops"], 0);
    // The no-filters of this one cover every link.
    EXPECT_EQ(here.run({"route", "ring", "--header", std::string(64, 'f')}).exit_code, 1);
}

TEST(route, headers_that_are_none_are_refused) {
    const workbench here;
    const auto given = [&](const std::string& header, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"route", "ring", "--header", header});
        return here.run(more);
    };
    expect_trouble(given("00ff"), "has 4 digits, but this header has 32 bytes, that is 64 digits (256 bits)");
    expect_trouble(given(""), "has 0 digits");
    expect_trouble(given(std::string(64, '0'), {"--seeds", "2"}), "33 bytes");
    expect_trouble(given("02" + std::string(64, '0'), {"--seeds", "2"}),
                   "has seed 2, but with --seeds 2 it must be from 0 to 1");
    expect_trouble(given(std::string(63, '0') + "x"), "character 64 is not a hexadecimal digit");
    expect_trouble(given("ff", {"--yes-bits", "5", "--no-filters", "0"}), "has bits set after the last of 5 bits");
}

TEST(route, a_tree_reaches_all_its_leaves) {
    const workbench here;
    const json told = routed(here, {"backbone", "--from", "Osthaven", "--to", "cor, Ravensby,Zorrow, South"});
    EXPECT_EQ(told["choice"], "asked");
    EXPECT_EQ(told["destinations"].size(), 3U); // one label has a comma of its own
    EXPECT_EQ(told["members"].get<std::size_t>() + 1, told["path"].size());
    EXPECT_EQ(told["yes_no"]["destinations_missed"].size(), 0U);
    EXPECT_EQ(told["hops"], 8);
}

TEST(route, parallel_links_are_links_of_their_own) {
    const workbench here;
    here.write("two.graphml",
               graph("<node id='a'/><node id='b'/><edge source='a' target='b'/><edge id='x' source='a' target='b'/>"
                     "<edge id='x' source='b' target='a'/><edge source='a' target='a'/>"));
    const json told = routed(here, {"two.graphml"});
    EXPECT_EQ(told["edges"], 4);
    EXPECT_EQ(told["self_loops"], 1);
    EXPECT_EQ(told["links"], 6);
    EXPECT_EQ(told["members"], 1);
    EXPECT_EQ(told["negatives"], 5);
    EXPECT_EQ(told["path_links"], json({"edge0:a>b"}));
    // Everything matches a full header, so all names are told: they differ though two edges have the same id.
    const json flood = routed(here, {"two.graphml", "--no-filters", "0", "--header", std::string(48, 'f')});
    EXPECT_EQ(flood["yes_no"]["false_link_names"], json({"x:a>b", "x:a>b~2", "edge0:b>a", "x:b>a", "x:b>a~2"}));
}

TEST(route, directions_are_followed) {
    const workbench here;
    const std::string nodes = "<node id='a'/><node id='b'/><node id='c'/>";
    here.write("one_way.graphml",
               graph(nodes + "<edge source='a' target='b'/><edge source='b' target='c'/>", "directed"));
    EXPECT_EQ(routed(here, {"one_way.graphml"})["links"], 2);
    expect_trouble(here.run({"route", "one_way.graphml", "--from", "c", "--to", "a"}), "no path from c to a");
    here.write(
        "mixed.graphml",
        graph(nodes + "<edge source='a' target='b' directed='false'/><edge source='b' target='c'/>", "directed"));
    EXPECT_EQ(routed(here, {"mixed.graphml"})["links"], 3);
    const auto arrows = [](const std::string& source, const std::string& target) {
        return "<edge source='a' target='b'><data><y:PolyLineEdge><y:Arrows source='" + source + "' target='" + target +
               "'/></y:PolyLineEdge></data></edge>";
    };
    here.write("drawn.graphml", graph(nodes + arrows("none", "none") + arrows("none", "standard") +
                                          arrows("standard", "none") + arrows("standard", "standard"),
                                      "directed"));
    EXPECT_EQ(routed(here, {"drawn.graphml"})["links"], 6);
}

TEST(route, of_a_network_in_parts_the_largest_counts) {
    const workbench here;
    here.write("parts.graphml",
               graph("<node id='p'/><node id='q'/><node id='a'/><node id='b'/><node id='c'/><node id='lone'/>"
                     "<edge source='p' target='q'/><edge source='a' target='b'/><edge source='b' target='c'/>"));
    const json told = routed(here, {"parts.graphml"});
    EXPECT_EQ(told["components"], 3);
    EXPECT_EQ(told["largest_component_nodes"], 3);
    EXPECT_EQ(told["hops"], 2);
    EXPECT_EQ(told["source"]["id"], "a");
    EXPECT_NE(here.run({"route", "parts.graphml"}).out.find("3 connected components; the largest has 3 nodes"),
              std::string::npos);
    expect_trouble(here.run({"route", "parts.graphml", "--from", "p", "--to", "a"}), "no path from p to a");
}

TEST(route, names_are_understood_or_explained) {
    const workbench here;
    here.write("n.graphml",
               graph(node("n0", "Bern") + node("n1", "Basel") + node("n2", "Basel") + node("n3", "Chur") +
                     "<edge source='n0' target='n1'/><edge source='n1' target='n2'/><edge source='n2' target='n3'/>"));
    const auto from = [&](const std::string& name) {
        return here.run({"route", "n.graphml", "--from", name, "--to", "n3"});
    };
    EXPECT_EQ(from("n0").exit_code, 0);
    EXPECT_EQ(from("Bern").exit_code, 0);
    EXPECT_EQ(from("bern").exit_code, 0);
    expect_trouble(from("Brn"), "--from: no node 'Brn'; did you mean 'Bern'?");
    expect_trouble(from("Basel"), "--from: 2 nodes have the label 'Basel'; use an id instead: n1, n2");
    expect_trouble(from("Valparaiso"), "available: 'Bern', 'Basel', 'Basel', 'Chur'");
    expect_trouble(from("Chur"), "both the source and a destination");
    expect_trouble(here.run({"route", "n.graphml", "--from", "n0"}), "--from: needs --to NODE");
    expect_trouble(here.run({"route", "n.graphml", "--to", "n0"}), "--to: needs --from NODE");
}

TEST(route, labels_are_read_in_any_encoding_and_shown_without_control_characters) {
    const workbench here;
    here.write("latin.graphml", "<?xml version='1.0' encoding='ISO-8859-1'?>" +
                                    graph(node("a", "Z\xfcrich") + node("b", "Gen&#27;[31m\n  \xe8ve") +
                                          "<edge source='a' target='b'/>"));
    const auto ran = here.run({"route", "latin.graphml", "--from", "Zürich", "--to", "b"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("Zürich > Gen [31m ève"), std::string::npos) << ran.out;
}

TEST(route, what_is_no_network_is_refused_with_a_reason) {
    const workbench here;
    const auto refuse = [&](std::string_view text, std::string_view reason) {
        here.write("x.graphml", text);
        expect_trouble(here.run({"route", "x.graphml"}), "x.graphml: " + std::string(reason));
    };
    refuse("", "empty; expected a GraphML file");
    refuse("names\n", "line 2: not well-formed XML");
    refuse("<graphml>\n<graph>\n", "line 2: not well-formed XML");
    refuse("<svg/>", "not GraphML: the root element is <svg>");
    refuse("<graphml/>", "the file has no <graph> element");
    refuse("<graphml><graph/><graph/></graphml>", "the file has several graphs");
    refuse(graph(""), "the graph has no nodes");
    refuse(graph("<node/>"), "a node has no id");
    refuse(graph("<node id='a'/><node id='a'/>"), "two nodes have the id 'a'");
    refuse(graph("<node id='a'/><edge source='a' target='b'/>"), "the target of edge 'edge0' is 'b'");
    refuse(graph("<node id='a'/><edge target='a'/>"), "the source of edge 'edge0' is ''");
    refuse(graph("<node id='a'/><node id='b'/>"), "the network has no links");
    refuse(graph("<node id='a'/><hyperedge/>"), "hyperedges are not supported");
    expect_trouble(here.run({"route", "absent.graphml"}), "no file 'absent.graphml'");
    expect_trouble(here.run({"route", "."}), "Is a directory");
}

TEST(route, size_and_depth_of_a_file_do_no_harm) {
    const workbench here;
    here.write("huge.graphml", "<graphml>" + std::string((16U << 20) + 1, ' ') + "</graphml>");
    expect_trouble(here.run({"route", "huge.graphml"}), "is larger than 16 MiB");
    std::string open;
    std::string close;
    for (int i = 0; i < 50'000; ++i) {
        open += "<node id='" + std::to_string(i) + "'><data><y><y></y></y></data><graph>";
        close += "</graph></node>";
    }
    here.write("deep.graphml", graph(open + close + "<edge source='0' target='49999'/>"));
    EXPECT_EQ(routed(here, {"deep.graphml"})["nodes"], 50'000);
    std::string wide;
    for (int i = 0; i < 30'000; ++i) wide += "<edge id='e' source='a' target='b'/>";
    here.write("wide.graphml", graph("<node id='a'/><node id='b'/>" + wide));
    EXPECT_EQ(routed(here, {"wide.graphml"})["links"], 60'000);
    expect_trouble(here.run({"route", "wide.graphml", "--picture", "wide.svg"}),
                   "60,000 links are over the limit of 20,000 for a picture");
    std::string line;
    for (int i = 0; i < 40'000; ++i) line += "<node id='" + std::to_string(i) + "'/>";
    for (int i = 1; i < 40'000; ++i) {
        line += "<edge source='" + std::to_string(i - 1) + "' target='" + std::to_string(i) + "'/>";
    }
    here.write("line.graphml", graph(line));
    expect_trouble(here.run({"route", "line.graphml"}),
                   "too many for a search of the longest shortest path; use --from and --to");
    EXPECT_EQ(routed(here, {"line.graphml", "--from", "7", "--to", "12"})["hops"], 5);
}

TEST(route, numbers_out_of_range_are_refused) {
    const workbench here;
    const auto with = [&](const std::string& flag, const std::string& value) {
        return here.run({"route", "ring", flag, value});
    };
    expect_trouble(with("--yes-bits", "0"), "yes_bits is 0");
    expect_trouble(with("--yes-bits", "100k"), "a header of 100,064 bits is over the limit of 65,536 bits");
    expect_trouble(with("--no-filters", "65"), "no_filters is 65");
    expect_trouble(with("--bloom-hashes", "33"), "bloom_hashes is 33");
    expect_trouble(with("--seeds", "0"), "seeds is 0");
    expect_trouble(with("--trials", "-1"), "--trials");
    expect_trouble(with("--picture", "ring.graphml"), "must be a file of its own whose name ends in .svg");
}

TEST(route, trials_show_that_no_filters_help) {
    const workbench here;
    const json told = routed(here, {"backbone", "--yes-bits", "56", "--no-bits", "12", "--trials", "400"});
    EXPECT_EQ(told["trials"]["count"], 400);
    for (const char* kind : {"bloom", "yes_no"}) {
        EXPECT_LE(told["trials"][kind]["low"], told["trials"][kind]["mean"]);
        EXPECT_GE(told["trials"][kind]["high"], told["trials"][kind]["mean"]);
    }
    EXPECT_LT(told["trials"]["yes_no"]["high"], told["trials"]["bloom"]["low"]);
    EXPECT_EQ(routed(here, {"backbone"})["trials"], nullptr);
}

TEST(route, the_picture_shows_the_path_its_labels_and_the_header) {
    const workbench here;
    here.write("n.graphml",
               graph(node("a", "R&amp;D &lt;lab&gt;") + node("b", "Roof") + "<edge source='a' target='b'/>"));
    EXPECT_EQ(here.run({"route", "n.graphml", "--picture", "n.svg"}).exit_code, 0);
    const std::string svg = here.read("n.svg");
    EXPECT_EQ(svg.find("<?xml"), 0U);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    for (const std::string_view words :
         {"R&amp;D &lt;lab&gt;", "Roof", "path (1 link)", "yes-filter: 4 of 192 bits set"}) {
        EXPECT_NE(svg.find(words), std::string::npos) << words;
    }
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    const auto flooded =
        here.run({"route", "ring", "--header", std::string(48, 'f') + std::string(16, '0'), "--picture", "f.svg"});
    EXPECT_EQ(flooded.exit_code, 0) << flooded.err;
    EXPECT_NE(here.read("f.svg").find("on a loop"), std::string::npos);
}

TEST(route, a_network_may_come_through_a_pipe) {
    const workbench here;
    const auto ran =
        here.run({"route", "-", "--json"}, graph("<node id='a'/><node id='b'/><edge source='a' target='b'/>"));
    EXPECT_EQ(document(ran)["topology"], "standard input");
}

// The networks of the Topology Zoo are not part of the project; where they lie beside it, every one of them must be read.
TEST(route, the_topology_zoo_is_read_where_it_is_there) {
    const workbench here;
    const std::filesystem::path zoo =
        std::filesystem::path(EVERBLOOM_SOURCE_DIR) / ".." / "shared" / "data" / "topologyzoo";
    std::error_code absent;
    for (const auto& file : std::filesystem::directory_iterator(zoo, absent)) {
        const json told = routed(here, {file.path().string()});
        EXPECT_GT(told["hops"], 0) << file.path();
        EXPECT_EQ(told["yes_no"]["destinations_missed"].size(), 0U) << file.path();
        if (file.path().stem() == "TataNld") {
            EXPECT_EQ(told["hops"], 28);
        }
    }
}

} // namespace
} // namespace everbloom::support
