// A packet on its way, hop by hop: who forwards it where, and what goes wrong.
//
// Every node that gets the packet compares it with each of its links and sends a copy on all that match. It keeps no memory of
// packets, so it would do the same again with a second copy: it is enough to let each node decide once. A link that is not on the
// way but matches is a false link; the nodes behind it forward too, so one false link may bring others. If copies come back to a node that
// they have passed, they run in a loop, for ever unless a hop limit stops them.
#pragma once

#include "lab/route/header_code.hpp"

#include <vector>

namespace everbloom::cli {

struct delivery {
    std::vector<link_index> used;        // links that carry the packet, nearest to the source first
    std::vector<link_index> false_links; // those of them that are not on the way
    std::vector<node_index> reached;     // nodes that get it, the source first
    std::vector<node_index> missed;      // destinations that do not
    std::vector<std::vector<node_index>>
        loops;                         // the first few, each in the order of travel, beginning where it is entered
    std::uint64_t loop_count = 0;      // links that lead back to a node on the packet's own trail
    std::uint64_t false_positives = 0; // links of T that match, whether the packet gets to them or not
};

inline constexpr std::size_t most_loops_kept = 16;

[[nodiscard]] delivery deliver(const network& net, const packet_route& way, const std::vector<digest>& digests,
                               const header_code& code, const packet_bits& packet);

} // namespace everbloom::cli
