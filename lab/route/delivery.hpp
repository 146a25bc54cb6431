// Delivery of a packet, hop by hop, with false links and loops.
//
// Every node that receives the packet matches it against each of its links and sends a copy on all that match. Nodes are stateless and would
// forward a second copy in the same way, so each node decides once. A link that matches but is not on the path is a false link; the nodes
// behind it forward too, so one false link may cause others. Copies that return to a node they have passed are in a loop, which only a hop
// limit ends.
#pragma once

#include "lab/route/header_code.hpp"

#include <vector>

namespace everbloom::cli {

struct delivery {
    std::vector<link_index> used;               // links that carry the packet, nearest to the source first
    std::vector<link_index> false_links;        // those not on the path
    std::vector<node_index> reached;            // nodes that receive it, the source first
    std::vector<node_index> missed;             // destinations that do not receive it
    std::vector<std::vector<node_index>> loops; // the first few, each in the order of travel, from its entry node
    std::uint64_t loop_count = 0;               // links back to a node that the packet has passed
    std::uint64_t false_positives = 0;          // links of T that match, whether the packet reaches them or not
};

inline constexpr std::size_t most_loops_kept = 16;

[[nodiscard]] delivery deliver(const network& net, const packet_route& way, const std::vector<digest>& digests,
                               const header_code& code, const packet_bits& packet);

} // namespace everbloom::cli
