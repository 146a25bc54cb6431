// Networks out of GraphML files: plain ones, those of yEd, and the Topology Zoo's, which are of both kinds.
//
// What is read: nodes, edges, names (`label`, or what yEd writes beside the node), places (Longitude and Latitude, or yEd's
// coordinates), and whether an edge has a direction. yEd calls every graph directed; there the arrows that it draws decide: an
// edge without arrows runs both ways. Groups of nodes are opened. A hostile file costs no more than `most_graphml_bytes` allow.
#pragma once

#include "lab/route/network.hpp"

#include <everbloom/core/result.hpp>

#include <string>
#include <string_view>

namespace everbloom::cli {

/// The largest network of the Topology Zoo has 1 MB. The tree that the parser builds takes up to sixteen times the text.
inline constexpr std::size_t most_graphml_bytes = std::size_t{16} << 20;

/// The text of a file, plain or compressed, or of standard input ("-"), or of a network that comes with the program.
[[nodiscard]] result<std::string> read_graphml_text(const std::string& file);

/// `name` is that of the file: for messages, and without its ending the network's.
[[nodiscard]] result<network> parse_graphml(std::string_view text, const std::string& name);

} // namespace everbloom::cli
