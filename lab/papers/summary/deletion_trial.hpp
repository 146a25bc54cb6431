// One filter lives as in the summary: items go in, some are deleted; then strangers, deleted items and members are asked about, and
// the deleted ones come back.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/simulation/interval.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <cstdint>

namespace everbloom::lab::summary {

struct deletion_plan {
    std::uint64_t inserted = 0;
    std::uint64_t deleted = 0;
    std::uint64_t queries = 0;
};

struct deletion_errors {
    trial_tally strangers; // that are said to be there
    trial_tally deleted;   // that are said to be there still
    trial_tally members;   // that are said to be gone
    trial_tally returned;  // deleted items that came back, and are said to be gone
};

/// A kind that cannot remove keeps what was deleted.
[[nodiscard]] result<deletion_errors> run_deletion_trial(any_filter filter, const deletion_plan& plan,
                                                         const trial_randomness& random);

} // namespace everbloom::lab::summary
