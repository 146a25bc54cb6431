// Shared-bit example of the summary: two members collide in a bit, both are deleted. The collision array keeps the bit, counters do not.
#include "lab/papers/comparison.hpp"
#include "lab/papers/summary/summary.hpp"

#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

namespace everbloom::lab::summary {
namespace {

constexpr std::uint64_t cells = 64;
constexpr std::uint64_t hashes = 3;
constexpr std::uint64_t pairs_wanted = 1000;

result<any_filter> small_filter(const std::string& kind, std::uint64_t bits_a_cell) {
    return filter_for({{"", kind, {}, {}}, cells * bits_a_cell, hashes});
}

/// Inserts and deletes both; returns the number of non-empty cells if both could be deleted.
result<std::optional<std::uint64_t>> cells_left(any_filter& filter, digest a, digest b) {
    if (auto done = filter.clear(); !done) return fail(std::move(done.error()));
    for (const digest one : {a, b}) {
        if (const auto done = filter.insert(one); !done) return fail(done.error());
    }
    for (const digest one : {a, b}) {
        const auto done = filter.erase(one);
        if (!done) return fail(done.error());
        if (!succeeded(*done)) return std::nullopt;
    }
    return cells - filter.census(1, 2).values[0];
}

} // namespace

result<outcome> shared_bit(laboratory& lab) {
    auto flagged = small_filter("collision", 2);
    if (!flagged) return fail(flagged.error());
    auto counted = small_filter("counting", 4);
    if (!counted) return fail(counted.error());

    const trial_randomness random(lab.seed(), 0);
    place_count as_said;
    std::uint64_t left_by_flags = 0;
    std::uint64_t left_by_counters = 0;
    for (std::uint64_t i = 0; as_said.decided() < pairs_wanted && i < 1000 * pairs_wanted; ++i) {
        const digest a = random(random_stream::members, 2 * i);
        const digest b = random(random_stream::members, 2 * i + 1);
        if (auto done = flagged->clear(); !done) return fail(std::move(done.error()));
        for (const digest one : {a, b}) {
            if (const auto done = flagged->insert(one); !done) return fail(done.error());
        }
        const std::uint64_t shared = flagged->census(1, 3).values[2];
        if (shared == 0) continue; // no collision
        const auto with_flags = cells_left(*flagged, a, b);
        if (!with_flags) return fail(with_flags.error());
        const auto with_counters = cells_left(*counted, a, b);
        if (!with_counters) return fail(with_counters.error());
        if (!*with_flags || !*with_counters) continue; // one of them shares all of its bits and is not deletable
        left_by_flags += **with_flags;
        left_by_counters += **with_counters;
        as_said.note(**with_flags == shared && **with_counters == 0);
    }
    outcome found;
    found.findings.push_back({"shared-bit", as_said.counted(),
                              fmt::format("holds for {} of {} pairs that share a bit: {} bits remain set in the "
                                          "collision array, {} counters remain nonzero",
                                          as_said.held(), as_said.decided(), left_by_flags, left_by_counters)});
    return found;
}

} // namespace everbloom::lab::summary
