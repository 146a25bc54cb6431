// What do the bits buy? Bits per key, the rate measured, and how far that is from the least any filter needs, log2(1/rate).
//
// Not timed: each measurement fills a filter once and asks it about absent keys.
#include "measurements.hpp"
#include "peers/peer_population.hpp"
#include "population.hpp"

#include <cmath>

namespace everbloom::bench {
namespace {

constexpr std::array<double, 2> planned_rates{0.01, 0.001};
// A rate of 0.1 % is then known to within 1.6 % (one standard deviation).
constexpr std::uint64_t absent_keys = std::uint64_t{1} << 22;

/// Asks about keys that are no members, part by part; `count_found(part)` says how many of them it takes for members.
template <class CountFound>
double measured_rate(CountFound count_found) {
    std::uint64_t found = 0;
    std::array<std::uint64_t, batch_keys> part;
    for (std::uint64_t asked = 0; asked < absent_keys; asked += batch_keys) {
        for (std::size_t i = 0; i < batch_keys; ++i) part[i] = key_at(run_settings().items + asked + i);
        found += count_found(std::span<const std::uint64_t>(part));
    }
    return static_cast<double>(found) / static_cast<double>(absent_keys);
}

void report(benchmark::State& state, double planned, double measured, std::uint64_t payload_bytes) {
    const double bits = 8 * static_cast<double>(payload_bytes) / static_cast<double>(run_settings().items);
    state.counters[bits_counter] = bits;
    state.counters[planned_rate_counter] = planned;
    state.counters[measured_rate_counter] = measured;
    if (measured > 0) state.counters[overhead_counter] = bits / -std::log2(measured) - 1;
}

template <class Kind>
void measure_kind(benchmark::State& state, double planned) {
    using filter_type = typename Kind::filter;
    const auto spec = planned_spec<Kind>(planned);
    auto filter = spec ? make<filter_type>(*spec) : result<filter_type>(fail(spec.error()));
    if (!filter) return state.SkipWithError(filter.error().sentence.c_str());
    for (auto _ : state) {
        const std::uint64_t refused = count_refused(*filter, run_keys().members());
        if (refused != 0) return state.SkipWithError(fmt::format("{} keys were refused", refused).c_str());
        const double measured = measured_rate([&](auto part) { return count_found(*filter, part); });
        report(state, planned, measured, payload_bytes(*filter));
    }
}

void measure_peer(benchmark::State& state, double planned, const peer_entry& entry) {
    const auto filter = entry.make(run_settings().items, planned_bits(entry.rival, planned));
    if (!filter) return state.SkipWithError("the peer refuses this number of items");
    for (auto _ : state) {
        for_each_batch(run_keys().members(), [&](auto part) { filter->insert(manner::single, part); });
        const double measured = measured_rate([&](auto part) { return filter->lookup(manner::single, part); });
        report(state, planned, measured, filter->payload_bytes());
    }
}

/// Once is enough: nothing is timed, and the keys are always the same.
void add(double planned, std::string_view contestant, auto measure) {
    add_measurement("space", fmt::format("{}%", 100 * planned), contestant, measure)->Iterations(1)->Repetitions(1);
}

} // namespace

void register_space() {
    for (const double planned : planned_rates) {
        for_each_kind([planned]<class Kind>() {
            add(planned, Kind::name, [planned](benchmark::State& state) { measure_kind<Kind>(state, planned); });
        });
        for (const peer_entry& entry : known_peers()) {
            add(planned, entry.name,
                [planned, &entry](benchmark::State& state) { measure_peer(state, planned, entry); });
        }
    }
}

} // namespace everbloom::bench
