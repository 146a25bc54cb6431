// One trial: a filter lives the life that was asked for, then it is questioned.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>
#include <everbloom/simulation/interval.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <cstdint>
#include <optional>

namespace everbloom {

/// In this order: items + removed keys go in, `removed` random ones of them leave, then each churn step takes out a random
/// member and puts in a new key. Then it is protected from known negatives, and these and strangers are asked about.
struct trial_plan {
    std::uint64_t items = 0;
    std::uint64_t removed = 0;
    std::uint64_t churn_steps = 0;
    std::uint64_t queries = 0;
    std::uint64_t negatives = 0; // for kinds that can protect; they remove nothing
};

struct trial_result {
    trial_tally false_positives;
    std::optional<trial_tally> known_negatives; // taken for members, of those it was protected from
    std::optional<trial_tally> deletable;       // members that could leave, each judged with all the others present
    std::uint64_t false_negatives = 0;
    double fpr_current = 0; // what the cells themselves say
    insert_tally inserts;
    erase_tally erases;
    std::optional<bucket_statistics> buckets; // of kinds made of buckets
    std::optional<growth_statistics> growth;  // of kinds that grow by themselves
};

/// `filter` is empty. A key whose insert is refused is no member. A member whose erase is refused leaves the set all the same,
/// and its cells stay as they are: what a deletable filter loses in a real life [Rothenberg10].
[[nodiscard]] result<trial_result> run_trial(any_filter filter, const trial_plan& plan, const trial_randomness& random);

} // namespace everbloom
