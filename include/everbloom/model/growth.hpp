// What a filter that grows by itself says of its growth.
#pragma once

#include <cstdint>

namespace everbloom {

struct growth_statistics {
    std::uint64_t filters = 1;    // that a query may have to ask
    std::uint64_t expansions = 0; // since the filter was made or loaded
    std::uint64_t fast_bits = 0;  // what queries touch
    std::uint64_t slow_bits = 0;  // what only insertions and removals touch
    double most_keys = 0;         // at which its own limits end its growth, about; memory may end it before
};

} // namespace everbloom
