// Layout of a network: geographic positions if the file has them, else the positions of an editor, else a force-directed layout. It is
// deterministic.
#pragma once

#include "lab/route/network.hpp"

#include <vector>

namespace everbloom::cli {

struct map_layout {
    extent size;              // of the drawing; the height follows from the shape of the network
    std::vector<point> nodes; // inside it
};

/// `margin` is kept free on all sides, for labels.
[[nodiscard]] map_layout lay_out(const network& net, double width, double margin);

} // namespace everbloom::cli
