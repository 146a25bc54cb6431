// Where the nodes of a network go on a sheet of paper: where they lie on Earth if the file says so, else where an editor has put them, else
// where springs between neighbours pull them. The same network always gets the same places.
#pragma once

#include "lab/route/network.hpp"

#include <vector>

namespace everbloom::cli {

struct map_layout {
    extent size;              // of the sheet; its height follows from the shape of the network
    std::vector<point> nodes; // inside it
};

/// `margin` stays free on all sides, for labels.
[[nodiscard]] map_layout lay_out(const network& net, double width, double margin);

} // namespace everbloom::cli
