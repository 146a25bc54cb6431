#include "lab/route/paths.hpp"

#include "lab/route/node_names.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace everbloom::cli {
namespace {

/// Limit of nodes times links for a search from every node: a few seconds.
constexpr std::uint64_t most_search_steps = 2'000'000'000;

/// Breadth-first search from one node, reusable for many sources.
class shortest_paths {
public:
    explicit shortest_paths(const network& net)
        : net_(net), distance_(net.node_count(), nowhere), arrived_by_(net.node_count(), nowhere) {}

    void start_at(node_index source) {
        for (const node_index seen : order_) distance_[seen] = nowhere;
        order_.assign(1, source);
        distance_[source] = 0;
        arrived_by_[source] = nowhere;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const auto [first, last] = net_.links_from(order_[i]);
            for (link_index at = first; at < last; ++at) {
                const node_index target = net_.link(at).target;
                if (distance_[target] != nowhere) continue;
                distance_[target] = distance_[order_[i]] + 1;
                arrived_by_[target] = at;
                order_.push_back(target);
            }
        }
    }

    [[nodiscard]] bool reaches(node_index target) const noexcept { return distance_[target] != nowhere; }
    [[nodiscard]] unsigned distance(node_index target) const noexcept { return distance_[target]; }
    [[nodiscard]] link_index arrived_by(node_index target) const noexcept { return arrived_by_[target]; }
    /// All reachable nodes, nearest first.
    [[nodiscard]] const std::vector<node_index>& order() const noexcept { return order_; }

private:
    const network& net_;
    std::vector<std::uint32_t> distance_;
    std::vector<link_index> arrived_by_; // the last link of the path
    std::vector<node_index> order_;
};

} // namespace

connectivity connectivity_of(const network& net) {
    // Links count in both directions: union-find over the ends of all links.
    std::vector<node_index> leader(net.node_count());
    std::iota(leader.begin(), leader.end(), node_index{0});
    const auto find = [&](node_index at) {
        while (leader[at] != at) at = leader[at] = leader[leader[at]];
        return at;
    };
    for (const network_link& one : net.links()) {
        const node_index a = find(one.source);
        const node_index b = find(one.target);
        leader[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::uint32_t> members(net.node_count(), 0);
    for (node_index i = 0; i < net.node_count(); ++i) ++members[find(i)];
    connectivity made;
    made.components = static_cast<std::uint32_t>(
        members.size() - static_cast<std::size_t>(std::count(members.begin(), members.end(), 0u)));
    const auto largest = static_cast<node_index>(std::max_element(members.begin(), members.end()) - members.begin());
    for (node_index i = 0; i < net.node_count(); ++i) {
        if (find(i) == largest) made.largest.push_back(i);
    }
    return made;
}

result<packet_route> route_to(const network& net, node_index source, const std::vector<node_index>& destinations) {
    shortest_paths from(net);
    from.start_at(source);
    packet_route made;
    made.source = source;
    made.destinations = destinations;
    std::vector<bool> on_the_way(net.node_count(), false);
    on_the_way[source] = true;
    for (const node_index destination : destinations) {
        if (destination == source) {
            return fail(failure_reason::bad_parameter,
                        fmt::format("{} is both the source and a destination; choose different nodes",
                                    node_title(net, source)));
        }
        if (!from.reaches(destination)) {
            return fail(failure_reason::bad_parameter,
                        fmt::format("no path from {} to {}", node_title(net, source), node_title(net, destination)));
        }
        made.hops = std::max(made.hops, from.distance(destination));
        for (node_index at = destination; !on_the_way[at]; at = net.link(from.arrived_by(at)).source) {
            on_the_way[at] = true;
        }
    }
    for (const node_index at : from.order()) {
        if (!on_the_way[at]) continue;
        made.nodes.push_back(at);
        if (at != source) made.members.push_back(from.arrived_by(at));
    }
    std::vector<link_index> sorted = made.members;
    std::sort(sorted.begin(), sorted.end());
    for (const node_index at : made.nodes) {
        const auto [first, last] = net.links_from(at);
        for (link_index link = first; link < last; ++link) {
            if (!std::binary_search(sorted.begin(), sorted.end(), link)) made.others.push_back(link);
        }
    }
    return made;
}

result<packet_route> longest_route(const network& net, const std::vector<node_index>& part) {
    if (std::uint64_t{part.size()} * (part.size() + net.link_count()) > most_search_steps) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format("{} nodes and {} links are too many for a search of the longest shortest path; use --from and "
                        "--to",
                        grouped(net.node_count()), grouped(net.link_count())));
    }
    shortest_paths from(net);
    unsigned hops = 0;
    node_index source = 0;
    node_index destination = 0;
    for (const node_index start : part) {
        from.start_at(start);
        // The last in the order is among the farthest; of these the first in the file is chosen.
        const unsigned farthest = from.distance(from.order().back());
        if (farthest <= hops) continue;
        hops = farthest;
        source = start;
        destination = nowhere;
        for (const node_index at : from.order()) {
            if (from.distance(at) == farthest) destination = std::min(destination, at);
        }
    }
    if (hops == 0) return fail(failure_reason::bad_parameter, "the network has no links, so there is no path");
    return route_to(net, source, {destination});
}

} // namespace everbloom::cli
