// How fast do keys leave? All members of a full filter are removed, in random order, by the kinds that can.
#include "measurements.hpp"
#include "peers/peer_population.hpp"
#include "population.hpp"

namespace everbloom::bench {
namespace {

/// One iteration removes all members, part by part, from a filter that was filled outside the clock.
template <class Subjects, class ErasePart>
void time_emptying(benchmark::State& state, Subjects& subjects, ErasePart erase_part) {
    const auto leaving = run_keys().shuffled_members();
    for (auto _ : state) {
        state.PauseTiming();
        auto& filter = subjects.full();
        subjects.declare_changed();
        state.ResumeTiming();
        for_each_batch(leaving, [&](std::span<const std::uint64_t> part) { erase_part(filter, part); });
        benchmark::ClobberMemory();
    }
}

template <class Kind>
void time_batch_erasures(benchmark::State& state) {
    auto& subjects = population<Kind>::of_run();
    if (skipped(state, subjects.wrong()) || skipped(state, subjects.checked_removal().wrong)) return;
    digest_batch digests;
    std::array<erase_outcome, batch_keys> outcomes;
    time_emptying(state, subjects, [&](auto& filter, std::span<const std::uint64_t> part) {
        filter.erase(digests.of(part), std::span(outcomes).first(part.size()));
        benchmark::DoNotOptimize(outcomes.data());
    });
    describe(state, run_keys().items(), payload_bytes(subjects.full()));
    state.counters[removed_counter] = subjects.checked_removal().removed_share;
}

void time_peer_erasures(benchmark::State& state, peer_population& subjects, manner how) {
    if (skipped(state, subjects.wrong())) return;
    time_emptying(state, subjects,
                  [how](peer& filter, std::span<const std::uint64_t> part) { filter.erase(how, part); });
    describe(state, run_keys().items(), subjects.full().payload_bytes());
}

} // namespace

void register_erase() {
    for_each_kind([]<class Kind>() {
        if constexpr (Deletable<typename Kind::filter>) {
            add_measurement("erase", "batch", Kind::name, time_batch_erasures<Kind>);
        }
    });
    for_each_peer(operation::erase, [](peer_population& one, manner how) {
        add_measurement("erase", name_of(how), one.entry().name,
                        [&one, how](benchmark::State& state) { time_peer_erasures(state, one, how); });
    });
}

} // namespace everbloom::bench
