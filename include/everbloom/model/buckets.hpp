// bucket_statistics: how full the buckets of a filter are.
#pragma once

#include <cstdint>
#include <vector>

namespace everbloom {

struct bucket_statistics {
    std::vector<double> load_at_least;     // element j: share of the buckets with at least j cells in use, from j = 0
    std::uint64_t potential_overflows = 0; // insertions that found all their buckets full
    std::uint64_t largest_count = 0;       // the most copies that one fingerprint had
};

} // namespace everbloom
