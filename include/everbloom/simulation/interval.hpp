// A measured share with its 95 % interval.
#pragma once

#include <cstdint>
#include <span>

namespace everbloom {

/// `hits` out of `of`.
struct trial_tally {
    std::uint64_t hits = 0;
    std::uint64_t of = 0;
};

struct estimate {
    double mean = 0;
    double low = 0;
    double high = 0;

    [[nodiscard]] bool contains(double value) const noexcept { return low <= value && value <= high; }

    /// The share times `of`: a number of items.
    friend estimate operator*(const estimate& share, double of) noexcept {
        return {share.mean * of, share.low * of, share.high * of};
    }
};

/// The share behind these tallies, one per trial: low <= mean <= high always, and low < high unless nothing was tried.
///
/// Trials differ by more than their queries: each fills its own cells. With two trials or more and enough to count, the interval
/// is Student's, over the FPRs of the trials, and covers both sources of variance. With one trial, or where hits (or misses) are so
/// few that chance in the queries is all there is, it is the exact binomial one of Clopper and Pearson over all trials together.
[[nodiscard]] estimate estimate_share(std::span<const trial_tally> trials);

/// The half width of Student's 95 % interval of a mean, in standard errors, from this many values; at least 2.
[[nodiscard]] double student_reach(double values);

} // namespace everbloom
