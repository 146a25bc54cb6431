// JSON of `route`: members may be added, never renamed.
#include "lab/route/report.hpp"

namespace everbloom::cli {
namespace {

json node_document(const network& net, node_index at) {
    return {{"id", net.node(at).id}, {"label", net.node(at).label}};
}

json node_list(const network& net, const std::vector<node_index>& nodes) {
    json list = json::array();
    for (const node_index one : nodes) list.push_back(node_document(net, one));
    return list;
}

json link_names(const network& net, const std::vector<link_index>& links) {
    json list = json::array();
    for (const link_index one : links) list.push_back(net.link(one).name);
    return list;
}

json loop_list(const network& net, const delivery& outcome) {
    json list = json::array();
    for (const auto& loop : outcome.loops) {
        json ids = json::array();
        for (const node_index one : loop) ids.push_back(net.node(one).id);
        list.push_back(std::move(ids));
    }
    return list;
}

json geometry_document(const header_code& code) {
    const yes_no_spec& spec = code.spec();
    if (code.kind() == header_kind::bloom) return {{"bits", code.shape().bits()}, {"hashes", spec.yes_hashes}};
    return {{"bits", code.shape().bits()},
            {"yes_bits", spec.yes_bits},
            {"no_filters", spec.no_filters},
            {"no_bits", spec.no_bits},
            {"yes_hashes", spec.yes_hashes},
            {"no_hashes", spec.no_hashes},
            {"assign", yes_no_assignment_words[spec.assign]},
            {"seeds", spec.seeds}};
}

json packet_document(const network& net, const std::optional<sent_packet>& sent) {
    if (!sent) return nullptr;
    const delivery& outcome = sent->outcome;
    json made = {{"header", sent->code.to_hex(sent->packet)}, {"header_bytes", sent->code.bytes()}};
    if (sent->code.kind() == header_kind::yes_no) made["seed"] = sent->packet.seed;
    made["geometry"] = geometry_document(sent->code);
    made["false_positives"] = outcome.false_positives;
    made["false_links"] = outcome.false_links.size();
    made["false_link_names"] = link_names(net, outcome.false_links);
    made["links_used"] = outcome.used.size();
    made["nodes_reached"] = outcome.reached.size();
    made["destinations_missed"] = node_list(net, outcome.missed);
    made["loops"] = outcome.loop_count;
    made["loop_nodes"] = loop_list(net, outcome);
    return made;
}

json expected_document(const std::optional<sent_packet>& sent) {
    if (!sent || !sent->expected) return nullptr;
    return {{"mean", sent->expected->mean}, {"low", sent->expected->low}, {"high", sent->expected->high}};
}

} // namespace

json route_document(const route_report& report) {
    const network& net = report.net;
    json made = {{"topology", net.name()},
                 {"title", net.title},
                 {"nodes", net.node_count()},
                 {"edges", net.edges},
                 {"links", net.link_count()},
                 {"self_loops", net.self_loops},
                 {"components", report.connected.components},
                 {"largest_component_nodes", report.connected.largest.size()},
                 {"choice", report.choice == way_choice::longest ? "longest" : "asked"},
                 {"hops", report.way.hops},
                 {"source", node_document(net, report.way.source)},
                 {"destinations", node_list(net, report.way.destinations)},
                 {"path", node_list(net, report.way.nodes)},
                 {"path_links", link_names(net, report.way.members)},
                 {"members", report.way.members.size()},
                 {"negatives", report.way.others.size()},
                 {"hash_seed", report.hash_seed},
                 {"bloom", packet_document(net, report.bloom)},
                 {"yes_no", packet_document(net, report.yes_no)}};
    made["trials"] = report.trials == 0 ? json(nullptr)
                                        : json{{"count", report.trials},
                                               {"bloom", expected_document(report.bloom)},
                                               {"yes_no", expected_document(report.yes_no)}};
    return made;
}

} // namespace everbloom::cli
