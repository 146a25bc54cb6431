// Table of [Bonomi06 §5] and its workload: filled, then 2^20 steps that replace a random key by a new one.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <everbloom/filter/dleft/dleft_spec.hpp>
#include <everbloom/simulation/simulation.hpp>

#include <string>

namespace everbloom::lab::dleft {

inline constexpr std::uint64_t subtables = 4;
inline constexpr std::uint64_t buckets = 2048;
inline constexpr std::uint64_t all_buckets = subtables * buckets;
inline constexpr std::uint64_t items_at_6 = 6 * all_buckets;
inline constexpr std::uint64_t churn_steps = std::uint64_t{1} << 20;
inline constexpr std::uint64_t papers_trials = 10'000;

[[nodiscard]] inline dleft_spec papers_table(std::uint64_t moves = 0) { return {subtables, buckets, 8, 14, 2, moves}; }

[[nodiscard]] inline result<any_filter> build_table(const dleft_spec& spec) {
    build_request wanted{"dleft", std::nullopt, std::nullopt, {}};
    for (const auto& field : dleft_spec::fields()) {
        wanted.parameters.push_back({std::string(field.name), std::to_string(spec.*field.value)});
    }
    return build(wanted);
}

/// Trials of whole filters. The paper has 10,000 of each; that would be hours. The intervals of fewer are given with every number, and
/// where the paper counts trials with a rare event, `bucket_process` runs all 10,000.
[[nodiscard]] inline std::uint64_t trials_of(const laboratory& lab, std::uint64_t quick, std::uint64_t full) {
    return lab.thoroughness().places == 0 ? full : quick;
}

/// Runs the workload of the paper on a table with `items` items.
[[nodiscard]] inline result<simulation_report> live(const laboratory& lab, const any_filter& empty, std::uint64_t items,
                                                    std::uint64_t trials, std::uint64_t queries,
                                                    std::uint64_t steps = churn_steps) {
    simulation_request request;
    request.items = items;
    request.churn_steps = steps;
    request.queries = queries;
    request.trials = trials;
    request.seed = lab.seed();
    request.threads = lab.threads();
    return simulate(empty, request, [&](std::uint64_t keys) { lab.report(keys); });
}

} // namespace everbloom::lab::dleft
