// One trial: a filter goes through the workload, then it is queried.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>
#include <everbloom/simulation/interval.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <cstdint>
#include <optional>

namespace everbloom {

/// In this order: items + removed keys are inserted, `removed` random ones of them are removed, then each churn step removes a random
/// member and inserts a new key. Then it is protected from known negatives, and these and other absent keys are queried.
struct trial_plan {
    std::uint64_t items = 0;
    std::uint64_t removed = 0;
    std::uint64_t churn_steps = 0;
    std::uint64_t queries = 0;
    std::uint64_t negatives = 0; // for kinds that can protect; they remove nothing
};

struct trial_result {
    trial_tally false_positives;
    std::optional<trial_tally> known_negatives; // false positives among the protected negatives
    std::optional<trial_tally> deletable; // members that could be removed, each tested with all the others present
    std::uint64_t false_negatives = 0;
    double fpr_current = 0; // computed from the cells
    insert_tally inserts;
    erase_tally erases;
    std::optional<bucket_statistics> buckets; // of kinds made of buckets
    std::optional<growth_statistics> growth;  // of kinds that grow by themselves
};

/// `filter` is empty. A key whose insert is refused is no member. A member whose erase is refused leaves the set all the same,
/// and its cells stay as they are: what a deletable filter loses in practice [Rothenberg10].
[[nodiscard]] result<trial_result> run_trial(any_filter filter, const trial_plan& plan, const trial_randomness& random);

} // namespace everbloom
