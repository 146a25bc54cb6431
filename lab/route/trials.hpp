// How many false positives a header of this shape has on this way, on average: the header is built again and again, each time
// with other hash functions, as the paper does it a thousand times [Carrea16 §VIII].
#pragma once

#include "lab/route/header_code.hpp"

#include <everbloom/simulation/interval.hpp>

#include <functional>

namespace everbloom::cli {

/// An hour's work. The paper has a thousand.
inline constexpr std::uint64_t most_route_trials = 10'000'000;

/// Trial i hashes the links with the seed `hash_seed + i`; `done` is told after each. Per header, with its 95 % interval.
[[nodiscard]] result<estimate> mean_false_positives(const network& net, const packet_route& way,
                                                    const header_code& code, std::uint64_t hash_seed,
                                                    std::uint64_t trials, const std::function<void()>& done);

} // namespace everbloom::cli
