// Nodes as people name them: by id ("n3"), or by label ("Seattle") where only one node has it.
#pragma once

#include "lab/route/network.hpp"

#include <everbloom/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// "Seattle (n0)", or "n0" for a node without a label.
[[nodiscard]] std::string node_title(const network& net, node_index at);

/// The node that is meant. `flag` is for messages; they suggest names that are close, and ids where a label is not enough.
[[nodiscard]] result<node_index> find_node(const network& net, std::string_view name, std::string_view flag);

/// A list with commas. Labels may have commas of their own ("Washington, DC"): the longest name that fits is taken.
[[nodiscard]] result<std::vector<node_index>> find_nodes(const network& net, std::string_view list,
                                                         std::string_view flag);

} // namespace everbloom::cli
