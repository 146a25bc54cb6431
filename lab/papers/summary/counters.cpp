// "4-bit counters suffice": distribution of counter values in a filter at its capacity, and the effect of repeated insertions of a key.
#include "lab/papers/summary/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/model/poisson.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace everbloom::lab::summary {
namespace {

constexpr double planned_rate = 0.001; // the summary's default
constexpr std::size_t values = 16;     // of a 4-bit counter
constexpr std::uint64_t repeats = 20;
constexpr std::uint64_t repeated_keys = 1000;

struct filled {
    std::array<std::uint64_t, values> counters{};
    std::string error;
};

filled fill(const any_filter& like, std::uint64_t items, const trial_randomness& random) {
    filled seen;
    auto filter = build_like(like);
    if (!filter) return {{}, filter.error().sentence};
    for (std::uint64_t i = 0; i < items; ++i) {
        if (const auto done = filter->insert(random(random_stream::members, i)); !done)
            return {{}, done.error().sentence};
    }
    const cell_census census = filter->census(1, values);
    std::copy(census.values.begin(), census.values.end(), seen.counters.begin());
    return seen;
}

/// Number of keys that remain after each was inserted and deleted 20 times.
result<std::uint64_t> keys_that_stay(const any_filter& like, const trial_randomness& random) {
    auto filter = build_like(like);
    if (!filter) return fail(filter.error());
    for (std::uint64_t i = 0; i < repeats * repeated_keys; ++i) {
        if (const auto done = filter->insert(random(random_stream::members, i / repeats)); !done)
            return fail(done.error());
    }
    for (std::uint64_t i = 0; i < repeats * repeated_keys; ++i) {
        if (const auto done = filter->erase(random(random_stream::members, i / repeats)); !done)
            return fail(done.error());
    }
    std::uint64_t staying = 0;
    for (std::uint64_t i = 0; i < repeated_keys; ++i) {
        staying += filter->may_contain(random(random_stream::members, i)) ? 1 : 0;
    }
    return staying;
}

double poisson_tail(double mean, std::size_t from) {
    double sum = 0;
    for (std::size_t j = from; j < from + 100; ++j) sum += poisson_chance(mean, static_cast<double>(j));
    return sum;
}

} // namespace

result<outcome> counters(laboratory& lab) {
    const std::uint64_t items = lab.thoroughness().places == 0 ? 1'000'000 : 100'000;
    const std::uint64_t trials = lab.thoroughness().least_trials;
    const auto like = build({"counting", items, planned_rate, {{"counter_bits", "4"}, {"probe", "independent"}}});
    if (!like) return fail(like.error());

    std::vector<filled> filters(trials);
    lab.in_parallel(
        trials, [&](std::uint64_t trial) { filters[trial] = fill(*like, items, trial_randomness(lab.seed(), trial)); });
    lab.report(trials * items);
    std::array<std::uint64_t, values> counted{};
    for (const filled& one : filters) {
        if (!one.error.empty()) return fail(failure_reason::out_of_memory, one.error);
        for (std::size_t value = 0; value < values; ++value) counted[value] += one.counters[value];
    }

    const double hashes = static_cast<double>(like->geometry("hashes").value_or(0));
    const double load = hashes * static_cast<double>(items) / static_cast<double>(like->cells());
    const std::uint64_t all = trials * like->cells();
    artefact figure{
        "counters",
        fmt::format("Counters of a filter with {} items, k = {}, target FPR P = 0.001", grouped(items), hashes),
        axis_from_zero("value j"), rate_axis("share of counters with j or more")};
    figure.reading = "The curve is the Poisson tail. A 4-bit counter saturates at 15, where the tail is below 1e-14.";
    series line{"4-bit counters", {"#2b7bba", 7, 0.6, 1.6}};
    std::size_t largest = 0;
    std::uint64_t at_least = 0;
    for (std::size_t value = values; value-- > 0;) {
        at_least += counted[value];
        if (at_least > 0 && largest == 0) largest = value;
        const trial_tally share{at_least, all};
        line.points.insert(line.points.begin(), {static_cast<double>(value), std::nullopt, poisson_tail(load, value),
                                                 estimate_share(std::span(&share, 1))});
    }
    figure.curves.push_back(std::move(line));

    const auto staying = keys_that_stay(*like, trial_randomness(lab.seed(), trials));
    if (!staying) return fail(staying.error());
    const double expected = poisson_tail(load, values - 1) * static_cast<double>(like->cells());
    outcome found;
    found.findings = {
        {"four-bit-counters", static_cast<double>(counted[values - 1]),
         fmt::format("{} of {} counters are saturated; the largest value is {}; the Poisson tail predicts {:.1e} "
                     "saturated counters per filter",
                     grouped(counted[values - 1]), grouped(all), largest, expected)},
        {"four-bit-repeats", static_cast<double>(*staying),
         fmt::format("of {} keys, each inserted and deleted {} times, {} remain: their counters are saturated at 15",
                     grouped(repeated_keys), repeats, grouped(*staying))}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::summary
