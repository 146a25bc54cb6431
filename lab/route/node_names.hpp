// Node lookup by id ("n3"), or by label ("Seattle") if it is unique.
#pragma once

#include "lab/route/network.hpp"

#include <everbloom/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// "Seattle (n0)", or "n0" for a node without a label.
[[nodiscard]] std::string node_title(const network& net, node_index at);

/// Finds a node. `flag` is for error messages, which suggest similar names, or ids for an ambiguous label.
[[nodiscard]] result<node_index> find_node(const network& net, std::string_view name, std::string_view flag);

/// A comma-separated list. Labels may contain commas ("Washington, DC"): the longest matching name is taken.
[[nodiscard]] result<std::vector<node_index>> find_nodes(const network& net, std::string_view list,
                                                         std::string_view flag);

} // namespace everbloom::cli
