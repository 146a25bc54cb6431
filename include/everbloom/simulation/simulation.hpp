// A simulation: the same workload on many filters with different keys, measured and compared with the model.
//
// Same request, same report, whatever the number of threads: each trial's randomness depends on the seed and its number only.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/simulation/interval.hpp>
#include <everbloom/simulation/trial.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace everbloom {

struct simulation_request {
    std::uint64_t items = 0;
    double removed_share = 0; // of the items: how many more go in, and leave again
    std::uint64_t churn_steps = 0;
    std::uint64_t queries = 1'000'000;
    std::uint64_t trials = 10;
    std::uint64_t seed = 1;
    unsigned threads = 1;
};

/// How the buckets of all trials filled, beside what the fluid limit says.
struct bucket_report {
    std::vector<double> load_at_least; // mean over the trials
    std::vector<double> fluid_limit;
    std::uint64_t overflow_trials = 0; // trials in which a key was refused
    double mean_potential_overflows = 0;
    std::uint64_t fewest_potential_overflows = 0;
    std::uint64_t most_potential_overflows = 0;
    std::uint64_t largest_count = 0;
};

/// How far filters that grow by themselves grew, mean over the trials.
struct growth_report {
    double filters = 0;
    double expansions = 0;
    double fast_bits = 0;
    double slow_bits = 0;
};

/// Known negatives that remained false positives, per trial.
struct known_negatives_report {
    std::uint64_t negatives = 0;
    estimate false_positives;
    double bloom_false_positives =
        0; // of a Bloom filter of as many bits with the best number of hashes, says its model
    std::optional<double> left_by_first_fit = {}; // says the model of small filters that are built so
};

struct simulation_report {
    trial_plan plan;
    estimate fpr;
    double fpr_current = 0; // computed from the cells, mean over the trials: without the variance of queries
    prediction model;
    std::optional<estimate> deletability; // for kinds that can remove
    std::uint64_t false_negatives = 0;
    insert_tally inserts; // of all trials together
    erase_tally erases;
    std::optional<bucket_report> buckets;                  // for kinds made of buckets
    std::optional<growth_report> growth;                   // for kinds that grow by themselves
    std::optional<known_negatives_report> known_negatives; // for kinds that can protect
};

/// The filter that a simulation is about, where the request leaves the algorithm open: as in the kind's paper. A yes_no filter is built
/// by first-fit; filters of users are built by search.
[[nodiscard]] build_request as_in_paper(build_request wanted);

/// `empty` gives kind and geometry; every trial has its own filter like it. `trial_done` is called with the number of keys a trial handled,
/// from one thread at a time.
[[nodiscard]] result<simulation_report> simulate(const any_filter& empty, const simulation_request& wanted,
                                                 const std::function<void(std::uint64_t)>& trial_done = {});

} // namespace everbloom
