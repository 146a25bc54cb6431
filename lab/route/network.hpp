// Network of nodes and directed links.
//
// An undirected edge is two links, one in each direction. Parallel edges have separate links. The name of a link ("e7:n3>n12") is unique in
// its network; its header bits are computed from the name alone.
#pragma once

#include "output/picture_canvas.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace everbloom::cli {

using node_index = std::uint32_t;
using link_index = std::uint32_t;
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

struct network_node {
    std::string id;
    std::string label;                  // display name; several nodes may share one
    std::optional<point> on_earth = {}; // degrees: x longitude, y latitude
    std::optional<point> drawn = {};    // position in an editor; y grows downwards
};

struct network_link {
    node_index source = 0;
    node_index target = 0;
    std::uint32_t edge = 0; // number of its edge; both links of an edge share it
    std::string name;
};

class network {
public:
    network() = default;

    /// Sorts the links by source, stably.
    network(std::string name, std::vector<network_node> nodes, std::vector<network_link> links);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::span<const network_node> nodes() const noexcept { return nodes_; }
    [[nodiscard]] const network_node& node(node_index at) const noexcept { return nodes_[at]; }
    [[nodiscard]] node_index node_count() const noexcept { return static_cast<node_index>(nodes_.size()); }
    [[nodiscard]] std::span<const network_link> links() const noexcept { return links_; }
    [[nodiscard]] const network_link& link(link_index at) const noexcept { return links_[at]; }
    [[nodiscard]] link_index link_count() const noexcept { return static_cast<link_index>(links_.size()); }

    /// The range [first, second) of links that leave a node.
    [[nodiscard]] std::pair<link_index, link_index> links_from(node_index at) const noexcept {
        return {first_link_[at], first_link_[at + 1]};
    }

    std::string title;            // from the file
    std::uint64_t edges = 0;      // as in the file
    std::uint64_t self_loops = 0; // edges from a node to itself, which are ignored

private:
    std::string name_;
    std::vector<network_node> nodes_;
    std::vector<network_link> links_;
    std::vector<link_index> first_link_; // one entry more than nodes
};

} // namespace everbloom::cli
