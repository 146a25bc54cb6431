// Trial of deletion as in the summary: items are inserted, some deleted; then absent keys, deleted items and members are queried, and the
// deleted items inserted again.
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
    trial_tally absent;   // false positives
    trial_tally deleted;  // false positives
    trial_tally members;  // false negatives
    trial_tally returned; // deleted items inserted again: false negatives
};

/// A kind without deletion keeps the deleted items.
[[nodiscard]] result<deletion_errors> run_deletion_trial(any_filter filter, const deletion_plan& plan,
                                                         const trial_randomness& random);

} // namespace everbloom::lab::summary
