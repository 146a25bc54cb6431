// Second-order false positives [Carrea16 §VIII]: a packet that leaves its path over a false link may meet further false links at the nodes
// behind it. The paper leaves them out as negligible; here packets are delivered hop by hop, and they are counted.
#include "lab/papers/yesno/yesno.hpp"
#include "lab/route/delivery.hpp"
#include "lab/route/example_networks.hpp"
#include "lab/route/graphml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace everbloom::lab::yesno {
namespace {

/// False links of many packets, by where they leave.
struct false_links {
    std::uint64_t first = 0;  // at nodes of the path
    std::uint64_t second = 0; // at other nodes
};

result<false_links> count_false_links(const cli::network& net, const cli::header_code& code, std::uint64_t hashings) {
    const auto parts = cli::connectivity_of(net);
    const auto way = cli::longest_route(net, parts.largest);
    if (!way) return fail(way.error());
    std::vector<char> on_path(net.node_count(), 0);
    for (const cli::node_index node : way->nodes) on_path[node] = 1;
    false_links seen;
    for (std::uint64_t seed = 1; seed <= hashings; ++seed) {
        const auto digests = cli::link_digests(net, seed);
        const auto packet = code.encode(*way, digests);
        if (!packet) return fail(packet.error());
        for (const cli::link_index link : cli::deliver(net, *way, digests, code, *packet).false_links) {
            ++(on_path[net.link(link).source] != 0 ? seen.first : seen.second);
        }
    }
    return seen;
}

} // namespace

result<outcome> second_order(laboratory& lab) {
    const std::uint64_t hashings = lab.thoroughness().places == 0        ? 5000
                                   : lab.thoroughness().name == "glance" ? 200
                                                                         : 1000;
    yes_no_spec spec{.yes_bits = 192, .yes_hashes = 4, .no_filters = 2, .no_bits = 32, .no_hashes = 3};
    spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
    // Headers of 256 bits are so good for these networks that hardly a packet goes astray; shorter ones show what happens then.
    artefact figure{"second_order",
                    "Second-order false links, relative to those at nodes of the path",
                    {"bits of the header"},
                    {"second-order links per first-order one"}};
    figure.reading = "The longest path of each built-in network; Bloom headers with six hash functions.";
    double worst = 0;
    std::string words;
    for (const cli::example_network& one : cli::example_networks()) {
        const auto net = cli::parse_graphml(one.graphml, std::string(one.name));
        if (!net) return fail(net.error());
        series line{std::string(one.name),
                    {figure.curves.empty()       ? "#2b7bba"
                     : figure.curves.size() == 1 ? "#e08a1e"
                                                 : "#2a9d74",
                     7, 0.6, 1.6}};
        for (const std::uint64_t bits : {64, 128, 256}) {
            const auto code = cli::header_code::bloom(bits, 6);
            if (!code) return fail(code.error());
            const auto seen = count_false_links(*net, *code, hashings);
            if (!seen) return fail(seen.error());
            lab.report(hashings);
            if (seen->first == 0) continue;
            const double ratio = static_cast<double>(seen->second) / static_cast<double>(seen->first);
            line.points.push_back(
                {static_cast<double>(bits), std::nullopt, std::nullopt, estimate{ratio, ratio, ratio}});
            if (bits != 256) continue;
            worst = std::max(worst, ratio);
            words += fmt::format("{}{}: {} after {}", words.empty() ? "" : ", ", one.name, seen->second, seen->first);
        }
        const auto code = cli::header_code::yes_no(spec);
        if (!code) return fail(code.error());
        const auto seen = count_false_links(*net, *code, hashings);
        if (!seen) return fail(seen.error());
        words += fmt::format(" (yes-no header {} after {})", seen->second, seen->first);
        if (!line.points.empty()) figure.curves.push_back(std::move(line));
    }
    outcome found;
    found.findings = {
        {"second-order", worst,
         fmt::format("false links of second order in {} packets per network, Bloom headers of 256 bits: {}", hashings,
                     words)}};
    if (!figure.curves.empty()) found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::yesno
