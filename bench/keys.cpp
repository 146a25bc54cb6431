#include "keys.hpp"

#include "settings.hpp"

#include <algorithm>
#include <numeric>

namespace everbloom::bench {
namespace {

// So many that a branch predictor cannot learn the answers, and not more than a pass of a second.
constexpr std::uint64_t fewest_queries = std::uint64_t{1} << 20;
constexpr std::uint64_t most_queries = std::uint64_t{1} << 23;

/// A step that visits every index below `items` once before it repeats one: near the golden ratio, without common divisor.
std::uint64_t visiting_step(std::uint64_t items) {
    auto step = static_cast<std::uint64_t>(static_cast<double>(items) * 0.6180339887);
    while (std::gcd(step, items) != 1) ++step;
    return step;
}

} // namespace

key_set::key_set(std::uint64_t items) : members_(items), shuffled_(items) {
    for (std::uint64_t i = 0; i < items; ++i) members_[i] = key_at(i);

    const std::uint64_t step = visiting_step(items);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < items; ++i) {
        shuffled_[i] = members_[at];
        at += step;
        if (at >= items) at -= items;
    }

    const std::uint64_t queries = std::clamp(items, fewest_queries, most_queries) / batch_keys * batch_keys;
    absent_.resize(queries);
    wanted_.resize(queries);
    for (std::uint64_t i = 0; i < queries; ++i) {
        absent_[i] = key_at(items + i);
        wanted_[i] = shuffled_[i % items];
    }
}

const key_set& run_keys() {
    static const key_set keys(run_settings().items);
    return keys;
}

} // namespace everbloom::bench
