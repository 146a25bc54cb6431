// Lookups, timed: the loops shared by the questions about absent and about present keys.
//
// One iteration is one batch of keys, hashed inside the clock as a user's program would.
#pragma once

#include "measurements.hpp"
#include "peers/peer_population.hpp"
#include "population.hpp"

namespace everbloom::bench {

template <class Kind>
void time_single_lookups(benchmark::State& state, std::span<const std::uint64_t> keys) {
    auto& subjects = population<Kind>::of_run();
    if (skipped(state, subjects.wrong())) return;
    const auto& filter = subjects.full();
    const integer_hasher hash;
    batch_cycle queries(keys);
    for (auto _ : state) {
        std::uint64_t found = 0;
        for (const std::uint64_t key : queries.next()) found += filter.may_contain(hash(key)) ? 1 : 0;
        benchmark::DoNotOptimize(found);
    }
    describe(state, batch_keys, payload_bytes(filter));
}

template <class Kind>
void time_batch_lookups(benchmark::State& state, std::span<const std::uint64_t> keys) {
    auto& subjects = population<Kind>::of_run();
    if (skipped(state, subjects.wrong())) return;
    const auto& filter = subjects.full();
    batch_cycle queries(keys);
    digest_batch digests;
    std::array<std::uint8_t, batch_keys> answers;
    for (auto _ : state) {
        filter.may_contain(digests.of(queries.next()), answers);
        benchmark::DoNotOptimize(answers.data());
        benchmark::ClobberMemory();
    }
    describe(state, batch_keys, payload_bytes(filter));
}

inline void time_peer_lookups(benchmark::State& state, std::span<const std::uint64_t> keys, peer_population& subjects,
                              manner how) {
    if (skipped(state, subjects.wrong())) return;
    const peer& filter = subjects.full();
    batch_cycle queries(keys);
    for (auto _ : state) benchmark::DoNotOptimize(filter.lookup(how, queries.next()));
    describe(state, batch_keys, filter.payload_bytes());
}

/// Which keys are looked for; a function, so that they are made only if the benchmark runs.
using key_choice = std::span<const std::uint64_t> (*)();

inline void register_lookups(std::string_view question, key_choice choose) {
    for_each_kind([=]<class Kind>() {
        add_measurement(question, "single", Kind::name,
                        [choose](benchmark::State& state) { time_single_lookups<Kind>(state, choose()); });
        add_measurement(question, "batch", Kind::name,
                        [choose](benchmark::State& state) { time_batch_lookups<Kind>(state, choose()); });
    });
    for_each_peer(operation::lookup, [=](peer_population& one, manner how) {
        add_measurement(question, name_of(how), one.entry().name,
                        [choose, &one, how](benchmark::State& state) { time_peer_lookups(state, choose(), one, how); });
    });
}

} // namespace everbloom::bench
