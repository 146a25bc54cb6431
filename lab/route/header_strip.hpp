// Drawing of header bits as a strip of squares: yes-filter and no-filters in different colours, set bits dark.
#pragma once

#include "lab/route/header_code.hpp"
#include "lab/route/map_canvas.hpp"

#include <string_view>

namespace everbloom::cli {

struct strip_place {
    point at;
    double width = 0;
};

/// Draws the strip and returns its height.
double draw_header_strip(map_canvas& canvas, const strip_place& place, std::string_view name, const header_code& code,
                         const packet_bits& packet);

} // namespace everbloom::cli
