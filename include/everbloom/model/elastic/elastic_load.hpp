// Load of the buckets of an elastic filter: the exact Poisson tail of a bucket and of the bucket tree.
//
// [Wu21 §4.3] bounds the tail by Lemma 4.1, whose condition a > 4 its own parameters do not meet; the bucket size it gives is too
// small. The tail itself is easily computed (docs/models/elastic.md).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace everbloom {

/// Chance that a bucket with `load` fingerprints on average has more than `slots`.
[[nodiscard]] inline double bucket_overflow(double load, std::uint64_t slots) noexcept {
    // Summed from the first term above, because 1 minus the others would be lost in rounding.
    double term = std::exp(-load);
    for (std::uint64_t i = 1; i <= slots + 1; ++i) term *= load / static_cast<double>(i);
    double sum = 0;
    for (std::uint64_t i = slots + 2; term > sum * 1e-17; ++i) {
        sum += term;
        term *= load / static_cast<double>(i);
    }
    return sum;
}

/// Chance that the shared bucket of `branches` buckets overflows: what is over in all of them is more than `slots`.
[[nodiscard]] inline double tree_overflow(double load, std::uint64_t slots, std::uint64_t branches) {
    // over[j]: chance that a bucket has j fingerprints too many; the last element is "more than slots".
    const std::size_t last = slots + 1;
    std::vector<double> over(last + 1, 0);
    double term = std::exp(-load);
    double within = term;
    for (std::uint64_t i = 1; i <= slots; ++i) within += term *= load / static_cast<double>(i);
    over[0] = within;
    for (std::size_t j = 1; j < last; ++j) over[j] = term *= load / static_cast<double>(slots + j);
    over[last] = bucket_overflow(load, 2 * slots);
    const auto together = [&](const std::vector<double>& one, const std::vector<double>& other) {
        std::vector<double> both(last + 1, 0);
        for (std::size_t a = 0; a <= last; ++a) {
            for (std::size_t b = 0; b <= last; ++b) both[std::min(a + b, last)] += one[a] * other[b];
        }
        return both;
    };
    // Buckets are added in powers of two.
    std::vector<double> sum(last + 1, 0);
    sum[0] = 1;
    for (std::uint64_t left = branches; left > 0; left /= 2, over = together(over, over)) {
        if (left % 2 == 1) sum = together(sum, over);
    }
    return sum[last];
}

} // namespace everbloom
