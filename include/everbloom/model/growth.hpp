// growth_statistics: how far a self-growing filter has grown.
#pragma once

#include <cstdint>

namespace everbloom {

struct growth_statistics {
    std::uint64_t filters = 1;    // sub-filters that a query may have to search
    std::uint64_t expansions = 0; // since the filter was made or loaded
    std::uint64_t fast_bits = 0;  // what queries touch
    std::uint64_t slow_bits = 0;  // what only insertions and removals touch
    double most_keys = 0;         // approximate capacity at its own growth limit; memory may be exhausted before
    double planned_keys = 0;      // it keeps its FPR up to this many; 0: at any size, or at none
    double sure_keys = 0; // with up to this many, removing a key that was never added passes below 1e-6; 0: not known
};

} // namespace everbloom
