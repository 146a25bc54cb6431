// Fig. 8b of [Wu21 §5.4]: latency of a doubling. Lazy: the longest single insertion while it grows. At once: one call that moves
// everything. Rebuilt: all keys inserted into a new filter.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/handling.hpp"
#include "lab/papers/elastic/stopwatch.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::lab::elastic {
namespace {

constexpr std::array<double, 4> shares{0.05, 0.1, 0.15, 0.2}; // of set bits, when the filter doubles
constexpr int rounds = 7;
constexpr double microseconds = 1e6; // of a second

/// Microseconds of CPU time of the three methods, in each round.
struct waits {
    round_values lazy;
    round_values at_once;
    round_values rebuilt;
    std::uint64_t keys = 0;
    std::uint64_t insertions = 0; // during a lazy doubling
};

structure with_threshold(double share) {
    structure made = elastic_contender();
    for (parameter_text& one : made.parameters) {
        if (one.name == "threshold") one.value = fmt::format("{}", share);
    }
    return made;
}

bool is_moving(const any_filter& filter) { return filter.geometry("next_bits").value_or(0) != 0; }

/// Fills a filter until it starts to double, and on until it has; returns the longest insertion.
result<void> time_lazy(const structure& wanted, std::uint64_t bits, const workload_keys& keys, waits& into) {
    auto filter = build_contender(wanted, bits);
    if (!filter) return fail(std::move(filter.error()));
    double longest = 0;
    std::uint64_t number = 0;
    std::uint64_t first = 0;
    for (;; ++number) {
        const digest key = keys.member(number);
        result<insert_outcome> outcome;
        const double seconds = cpu_seconds_of([&] { outcome = filter->insert(key); });
        if (!outcome) return fail(outcome.error());
        if (!succeeded(*outcome)) return fail(failure_reason::unsupported, "elastic refused a key");
        if (first == 0 && *outcome != insert_outcome::inserted_grew) continue;
        if (first == 0) first = number;
        longest = std::max(longest, seconds);
        if (!is_moving(*filter)) break;
    }
    into.lazy.note(longest * microseconds);
    into.keys = first;
    into.insertions = number - first;
    return {};
}

/// The same keys, without the one that starts the growth.
result<void> time_others(const structure& wanted, std::uint64_t bits, const workload_keys& keys, waits& into) {
    const std::vector<digest> members = keys.members(0, into.keys);
    auto small = build_contender(wanted, bits);
    if (!small) return fail(std::move(small.error()));
    if (auto filled = insert_all(*small, members); !filled) return filled;
    result<void> done;
    into.at_once.note(microseconds * cpu_seconds_of([&] { done = small->grow(); }));
    if (!done) return done;
    result<any_filter> large;
    into.rebuilt.note(microseconds * cpu_seconds_of([&] {
                          large = build_contender(wanted, 2 * bits);
                          if (large) done = insert_all(*large, members);
                      }));
    if (!large) return fail(std::move(large.error()));
    return done;
}

} // namespace

result<outcome> time_of_expansion(laboratory& lab) {
    const bool as_the_paper = lab.thoroughness().places == 0;
    const unsigned power = as_the_paper ? 22 : lab.thoroughness().name == "glance" ? 16 : 20;
    const std::uint64_t bits = std::uint64_t{1} << power;
    std::array<waits, shares.size()> seen;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const structure wanted = with_threshold(shares[i]);
            const workload_keys keys(lab, i);
            if (auto done = time_lazy(wanted, bits, keys, seen[i]); !done) return fail(std::move(done.error()));
            if (auto done = time_others(wanted, bits, keys, seen[i]); !done) return fail(std::move(done.error()));
            lab.report(3 * seen[i].keys);
        }
    }
    artefact figure{"fig8b",
                    fmt::format("Time of a doubling from 2^{} bits, over the share of set bits", power),
                    axis_from_zero("share of set bits"),
                    {"microseconds", axis_scale::logarithmic}};
    figure.reading = fmt::format(
        "Lazy: the longest single insertion, including the allocation of the larger filter. CPU time, {} rounds.",
        rounds);
    series lazy{"lazy, longest insertion", {"#2b7bba", 7, 0.7, 1.8}};
    series at_once{"at once", {"#e08a1e", 5, 0.6, 1.6}};
    series rebuilt{"rebuilt from the keys", {"#777777", 13, 0.6, 1.6}};
    place_count lowest;
    place_count highest;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const waits& one = seen[i];
        const auto shown = [&](const round_values& values) {
            return point{
                shares[i],
                std::nullopt,
                std::nullopt,
                values.mean(),
                {{"keys", static_cast<double>(one.keys)}, {"insertions", static_cast<double>(one.insertions)}}};
        };
        lazy.points.push_back(shown(one.lazy));
        at_once.points.push_back(shown(one.at_once));
        rebuilt.points.push_back(shown(one.rebuilt));
        note_more(lowest, one.at_once, one.lazy);
        note_more(lowest, one.rebuilt, one.lazy);
        note_more(highest, one.rebuilt, one.at_once);
        note_more(highest, one.rebuilt, one.lazy);
    }
    const waits& last = seen.back();
    const std::string words =
        fmt::format("with {} keys, {:.0f} us lazy (spread over {} insertions), {:.0f} at once, {:.0f} rebuilt",
                    last.keys, last.lazy.value(), last.insertions, last.at_once.value(), last.rebuilt.value());
    place_count slower_with_load;
    note_more(slower_with_load, last.at_once, seen.front().at_once);
    note_more(slower_with_load, last.rebuilt, seen.front().rebuilt);
    outcome found;
    found.is_timed = true;
    found.findings = {
        {"lazy-lowest", lowest.counted(), lowest.words() + "; " + words},
        {"rebuilding-highest", highest.counted(), highest.words() + "; " + words},
        {"expansion-grows-with-load", slower_with_load.counted(),
         fmt::format("from a share of {} to {}: at once {:.0f} to {:.0f} us, rebuilt {:.0f} to {:.0f}, longest lazy "
                     "insertion {:.0f} to {:.0f}",
                     shares.front(), shares.back(), seen.front().at_once.value(), last.at_once.value(),
                     seen.front().rebuilt.value(), last.rebuilt.value(), seen.front().lazy.value(),
                     last.lazy.value())}};
    figure.curves = {std::move(rebuilt), std::move(at_once), std::move(lazy)};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
