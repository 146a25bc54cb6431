// Reader of GraphML networks: plain files, those of yEd, and those of the Topology Zoo.
//
// It reads nodes, edges, names (`label`, or the yEd node label), positions (Longitude and Latitude, or yEd coordinates), and edge
// directions. yEd declares every graph as directed; there the arrow heads decide: an edge without arrow heads is bidirectional. Groups of
// nodes are flattened. The cost of a hostile file is limited by `most_graphml_bytes`.
#pragma once

#include "lab/route/network.hpp"

#include <everbloom/core/result.hpp>

#include <string>
#include <string_view>

namespace everbloom::cli {

/// The largest network of the Topology Zoo has 1 MB. The parsed tree takes up to sixteen times the size of the text.
inline constexpr std::size_t most_graphml_bytes = std::size_t{16} << 20;

/// The text of a file, plain or compressed, of standard input ("-"), or of a built-in network.
[[nodiscard]] result<std::string> read_graphml_text(const std::string& file);

/// `name` is the file name, for messages; without its extension it is the name of the network.
[[nodiscard]] result<network> parse_graphml(std::string_view text, const std::string& name);

} // namespace everbloom::cli
