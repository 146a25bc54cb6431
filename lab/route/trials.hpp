// Average false positives of a header on a path, over many sets of hash functions, as in [Carrea16 §VIII].
#pragma once

#include "lab/route/header_code.hpp"

#include <everbloom/simulation/interval.hpp>

#include <functional>

namespace everbloom::cli {

/// About an hour of work. The paper has 1,000 trials.
inline constexpr std::uint64_t most_route_trials = 10'000'000;

/// Trial i hashes the links with the seed `hash_seed + i`; `done` is called after each. The results have 95 % intervals.
[[nodiscard]] result<estimate> mean_false_positives(const network& net, const packet_route& way,
                                                    const header_code& code, std::uint64_t hash_seed,
                                                    std::uint64_t trials, const std::function<void()>& done);

} // namespace everbloom::cli
