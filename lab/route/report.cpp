#include "lab/route/report.hpp"

#include "lab/route/node_names.hpp"
#include "output/wording.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

constexpr std::size_t line_width = 112;
constexpr std::size_t most_listed = 8;
constexpr std::string_view margin = "            ";

/// "  path      28 hops": a row with its name.
std::string row(std::string_view name, const std::string& words) { return fmt::format("  {:<10}{}\n", name, words); }

/// Joins the pieces and wraps the lines.
std::string wrapped(const std::vector<std::string>& pieces, std::string_view between) {
    std::string text;
    std::size_t column = line_width;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::string piece = pieces[i] + std::string(i + 1 < pieces.size() ? between : "");
        if (column + piece.size() > line_width) {
            text += (text.empty() ? "" : "\n") + std::string(margin);
            column = margin.size();
        }
        text += piece;
        column += piece.size();
    }
    text += "\n";
    for (std::size_t at = 0; (at = text.find(" \n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

std::string network_line(const route_report& report) {
    const network& net = report.net;
    std::string line = net.name();
    if (!net.title.empty() && net.title != net.name()) line += fmt::format(" ({})", net.title);
    line += fmt::format(": {}, {}, {}", counted(net.node_count(), "node"), counted(net.edges, "edge"),
                        counted(net.link_count(), "directed link"));
    if (net.self_loops > 0) line += fmt::format(", {} to itself ignored", counted(net.self_loops, "edge"));
    if (report.connected.components == 1) return line + ", connected\n";
    line += fmt::format("\n  {:<10}{} connected components; the largest has {}", "", report.connected.components,
                        counted(report.connected.largest.size(), "node"));
    return line + (report.choice == way_choice::longest ? ", and the path is its longest shortest path\n" : "\n");
}

std::string way_rows(const route_report& report) {
    const network& net = report.net;
    const packet_route& way = report.way;
    std::string destinations;
    for (std::size_t i = 0; i < std::min(way.destinations.size(), most_listed); ++i) {
        destinations += (i == 0 ? "" : ", ") + node_title(net, way.destinations[i]);
    }
    if (way.destinations.size() > most_listed) {
        destinations += fmt::format(" and {} more", way.destinations.size() - most_listed);
    }
    const std::string_view what = report.choice == way_choice::longest ? "the longest shortest path, "
                                  : report.is_tree()                   ? "a tree of shortest paths, "
                                                                       : "";
    std::string text =
        row(report.is_tree() ? "tree" : "path", fmt::format("{}, {}from {} to {}", counted(way.hops, "hop"), what,
                                                            node_title(net, way.source), destinations));
    std::vector<std::string> pieces;
    if (report.is_tree()) {
        for (const link_index one : way.members) {
            pieces.push_back(net.node(net.link(one).source).label + " > " + net.node(net.link(one).target).label);
        }
    } else {
        for (const node_index one : way.nodes) pieces.push_back(net.node(one).label);
    }
    text += wrapped(pieces, report.is_tree() ? "; " : " > ");
    return text + row("links", fmt::format("{} on the {}, {} others leave its nodes", way.members.size(),
                                           report.is_tree() ? "tree" : "path", way.others.size()));
}

std::string outcome_rows(const route_report& report, const sent_packet& sent) {
    const delivery& got = sent.outcome;
    const network& net = report.net;
    std::string text = row(
        "  packet",
        fmt::format("reaches {} over {}; {}, {}", counted(got.reached.size(), "node"), counted(got.used.size(), "link"),
                    got.false_links.empty() ? "no false link" : counted(got.false_links.size(), "false link"),
                    got.loop_count == 0 ? "no loop" : counted(got.loop_count, "loop")));
    for (std::size_t i = 0; i < std::min(got.false_links.size(), most_listed); ++i) {
        const network_link& one = net.link(got.false_links[i]);
        text += row(
            "", fmt::format("false: {} > {} ({})", net.node(one.source).label, net.node(one.target).label, one.name));
    }
    if (got.false_links.size() > most_listed) {
        text += row("", fmt::format("and {} more", got.false_links.size() - most_listed));
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(got.loops.size(), 2); ++i) {
        std::vector<std::string> pieces;
        for (const node_index at : got.loops[i]) pieces.push_back(net.node(at).label);
        pieces.front() = "loop: " + pieces.front();
        pieces.push_back(net.node(got.loops[i].front()).label);
        text += wrapped(pieces, " > ");
    }
    for (const node_index one : got.missed) text += row("", "does not reach " + node_title(net, one));
    return text;
}

std::string packet_rows(const route_report& report, std::string_view name, const std::string& making,
                        const sent_packet& sent) {
    std::string text = row(name, fmt::format("{}{}", shape_text(sent.code.shape()),
                                             report.origin == header_origin::given ? ", as given" : making));
    text += row("  header", sent.code.to_hex(sent.packet));
    return text + outcome_rows(report, sent);
}

std::string expected_text(const estimate& expected) {
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", expected.mean, expected.low, expected.high);
}

} // namespace

std::string shape_text(const route::header_shape& shape) {
    if (shape.no_filters == 0) return counted(shape.bits(), "bit");
    return fmt::format("{} + {} x {} bits", shape.yes_bits, shape.no_filters, shape.no_bits);
}

std::string route_text(const route_report& report) {
    std::string text = network_line(report) + way_rows(report);
    if (report.bloom) {
        const auto hashes = report.bloom->code.spec().yes_hashes;
        text += "\n" + packet_rows(report, "bloom", fmt::format(", {} hash functions", hashes), *report.bloom);
    }
    if (report.yes_no) {
        const yes_no_spec& spec = report.yes_no->code.spec();
        std::string making = fmt::format(", {} and {} hash functions, assigned by {}", spec.yes_hashes, spec.no_hashes,
                                         yes_no_assignment_words[spec.assign]);
        if (spec.seeds > 1) making += fmt::format(", best of {} seeds: {}", spec.seeds, report.yes_no->packet.seed);
        text += "\n" + packet_rows(report, "yes-no", making, *report.yes_no);
    }
    if (report.trials > 0 && report.bloom && report.yes_no) {
        text += fmt::format("\n  False positives among the {} other links, mean of {} trials (95 % interval):\n"
                            "  bloom {}, yes-no {}\n",
                            report.way.others.size(), report.trials, expected_text(*report.bloom->expected),
                            expected_text(*report.yes_no->expected));
    }
    return text;
}

} // namespace everbloom::cli
