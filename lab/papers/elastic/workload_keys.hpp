// Keys of a workload: random distinct ones ("Distinct Stream" in [Wu21 §5.1.1]), or those of a trace.
//
// A trace is one list of keys, but trials must differ: each trial mixes its number into the digests. Equal keys stay equal. Absent keys are
// random in both cases; one of them is in the trace with a probability of 2^-100.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::lab::elastic {

class workload_keys {
public:
    workload_keys(const laboratory& lab, std::uint64_t trial) noexcept
        : trace_(lab.trace()), random_(lab.seed(), trial), salt_(mix(lab.seed() + trial)) {}

    [[nodiscard]] digest member(std::uint64_t number) const noexcept {
        if (trace_.empty()) return random_(random_stream::members, number);
        const digest& key = trace_[number];
        return {mix(key.low + salt_), mix(key.high ^ salt_)};
    }
    [[nodiscard]] digest absent_key(std::uint64_t number) const noexcept {
        return random_(random_stream::absent, number);
    }
    /// A random index below `range`.
    [[nodiscard]] std::uint64_t choose(std::uint64_t number, std::uint64_t range) const noexcept {
        return random_.choose(number, range);
    }

    [[nodiscard]] std::vector<digest> members(std::uint64_t first, std::uint64_t count) const {
        std::vector<digest> made(count);
        for (std::uint64_t i = 0; i < count; ++i) made[i] = member(first + i);
        return made;
    }
    [[nodiscard]] std::vector<digest> absent_keys(std::uint64_t first, std::uint64_t count) const {
        std::vector<digest> made(count);
        for (std::uint64_t i = 0; i < count; ++i) made[i] = absent_key(first + i);
        return made;
    }
    /// Random members among the first `of`.
    [[nodiscard]] std::vector<digest> some_members(std::uint64_t of, std::uint64_t first, std::uint64_t count) const {
        std::vector<digest> made(count);
        for (std::uint64_t i = 0; i < count; ++i) made[i] = member(choose(first + i, of));
        return made;
    }

private:
    std::span<const digest> trace_;
    trial_randomness random_;
    std::uint64_t salt_;
};

/// Number of distinct keys among the first `count`.
[[nodiscard]] inline std::uint64_t distinct_keys(const laboratory& lab, std::uint64_t count) {
    if (lab.trace().empty()) return count;
    const auto first = lab.trace().first(count);
    std::vector<digest> sorted(first.begin(), first.end());
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

/// Limits the insertions to the length of the trace, if there is one.
[[nodiscard]] inline std::uint64_t insertions_available(const laboratory& lab, std::uint64_t wanted) {
    return lab.trace().empty() ? wanted : std::min<std::uint64_t>(wanted, lab.trace().size());
}

/// Fails if the trace is too short for the initial size.
[[nodiscard]] inline result<void> check_trace(const laboratory& lab, std::uint64_t least) {
    if (lab.trace().empty() || lab.trace().size() >= least) return {};
    return fail(failure_reason::bad_parameter, "the trace has " + std::to_string(lab.trace().size()) +
                                                   " keys; this experiment needs at least " + std::to_string(least));
}

} // namespace everbloom::lab::elastic
