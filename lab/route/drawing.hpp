// A drawing of a network with the way of a packet through it: the path, the links that could be taken by mistake and those that were, and
// the bits of the headers below.
#pragma once

#include "lab/route/report.hpp"

#include <string>

namespace everbloom::cli {

/// More than this is a black page, and a file that no viewer opens.
inline constexpr link_index most_drawn_links = 20'000;

/// The whole SVG file.
[[nodiscard]] std::string draw_route(const route_report& report);

} // namespace everbloom::cli
