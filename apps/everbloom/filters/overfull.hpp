// overfull: the error message of a command that would exceed a capacity, and the flag that allows it.
#pragma once

#include <everbloom/jobs/capacity.hpp>

#include <string>
#include <utility>

namespace everbloom::cli {

/// `change` ("with 5 more keys") leads to the measurement.
[[nodiscard]] inline failure overfull(const std::string& path, const std::string& change, const measurement& now,
                                      const capacity_target& target) {
    failure made = in(path, over_capacity(change, now, target));
    made.sentence += "; nothing was changed. Create a larger filter (--capacity), or accept that FPR with --overfill";
    return made;
}

} // namespace everbloom::cli
