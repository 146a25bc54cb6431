// Drawing of a network and the path of a packet: the path, the other links of its nodes, false links, and the header bits.
#pragma once

#include "lab/route/report.hpp"

#include <string>

namespace everbloom::cli {

/// More links would be an unreadable picture and a file that is too large for viewers.
inline constexpr link_index most_drawn_links = 20'000;

/// The complete SVG file.
[[nodiscard]] std::string draw_route(const route_report& report);

} // namespace everbloom::cli
