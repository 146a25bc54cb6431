// The paths of [Carrea16 §VIII]: in each network the longest of all shortest paths. Of it an experiment needs two numbers only: how
// many links the header holds, and how many others leave the nodes on the way. Hash functions see nothing but names.
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

/// Of the networks in the laboratory's directory; fails if one cannot be read, or if there is none.
[[nodiscard]] result<std::vector<long_path>> paths_of_directory(const std::string& directory);

/// Of networks that come with the program, and of rings, ladders, grids and random ones that are made here.
[[nodiscard]] result<std::vector<long_path>> paths_of_our_own();

} // namespace everbloom::lab::yesno
