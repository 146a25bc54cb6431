// Random keys for the tests of rivals, and the demands that all of them have to meet.
#pragma once

#include "lab/rivals/rival.hpp"
#include "support/statistics.hpp"

#include <everbloom/simulation/trial_randomness.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom::support {

inline std::vector<digest> rival_keys(random_stream from, std::uint64_t count, std::uint64_t trial = 1) {
    const trial_randomness random(7, trial);
    std::vector<digest> made;
    made.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) made.push_back(random(from, i));
    return made;
}

inline std::uint64_t positives(const lab::rivals::rival& asked, std::span<const digest> keys) {
    return static_cast<std::uint64_t>(
        std::count_if(keys.begin(), keys.end(), [&](const digest& one) { return asked.contains(one); }));
}

/// No false negative, and as many false positives as the formula says.
inline void expect_rates(const lab::rivals::rival& asked, std::span<const digest> members, double fpr,
                         std::uint64_t queries = 200'000) {
    EXPECT_EQ(positives(asked, members), members.size());
    const std::vector<digest> absent = rival_keys(random_stream::absent, queries);
    EXPECT_TRUE(agrees_with_chance(positives(asked, absent), absent.size(), fpr));
}

} // namespace everbloom::support
