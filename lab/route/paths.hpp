// Path selection: a shortest path, a tree of shortest paths to several nodes, or the longest shortest path.
//
// Length is counted in links; weights are ignored. Of equally short paths the links that come first in the file win, and of several longest
// shortest paths the one whose source, then destination, comes first: the result is deterministic.
#pragma once

#include "lab/route/network.hpp"

#include <everbloom/core/result.hpp>

#include <vector>

namespace everbloom::cli {

struct packet_route {
    node_index source = 0;
    std::vector<node_index> destinations;
    std::vector<node_index> nodes;   // all on the path, nearest to the source first
    std::vector<link_index> members; // S: the links of the path, one per node except the source
    std::vector<link_index> others;  // T: every other link that leaves one of the nodes
    unsigned hops = 0;               // to the farthest destination
};

struct connectivity {
    std::uint32_t components = 0;    // connected components, ignoring directions
    std::vector<node_index> largest; // nodes of the largest component, the first of equals
};

[[nodiscard]] connectivity connectivity_of(const network& net);

/// The union of one shortest path to each destination. Fails if there is none to one of them.
[[nodiscard]] result<packet_route> route_to(const network& net, node_index source,
                                            const std::vector<node_index>& destinations);

/// The longest of all shortest paths between nodes of `part`.
[[nodiscard]] result<packet_route> longest_route(const network& net, const std::vector<node_index>& part);

} // namespace everbloom::cli
