// Paths of [Carrea16 §VIII]: the longest shortest path of each network. An experiment needs only two numbers of it: the links of the path,
// and the other links of its nodes.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::lab::yesno {

struct long_path {
    std::string network;
    std::uint64_t links = 0;  // n
    std::uint64_t others = 0; // |T|: all other links that leave nodes of the path
};

/// Paths of the networks in the given directory; fails if one cannot be read, or if there is none.
[[nodiscard]] result<std::vector<long_path>> paths_of_directory(const std::string& directory);

/// Paths of built-in networks, and of generated rings, ladders, grids and random graphs.
[[nodiscard]] result<std::vector<long_path>> paths_of_our_own();

} // namespace everbloom::lab::yesno
