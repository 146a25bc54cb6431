// How fast does an empty filter become full? All members are inserted, so the last keys, the dear ones of some kinds, count too.
#include "measurements.hpp"
#include "peers/peer_population.hpp"
#include "population.hpp"

namespace everbloom::bench {
namespace {

/// One iteration puts all members, part by part, into a filter that was emptied outside the clock.
template <class Subjects, class InsertPart>
void time_filling(benchmark::State& state, Subjects& subjects, InsertPart insert_part) {
    if (skipped(state, subjects.wrong())) return;
    const auto members = run_keys().members();
    for (auto _ : state) {
        state.PauseTiming();
        auto& filter = subjects.emptied();
        state.ResumeTiming();
        for_each_batch(members, [&](std::span<const std::uint64_t> part) { insert_part(filter, part); });
        benchmark::ClobberMemory();
    }
    subjects.declare_full();
}

template <class Kind>
void time_single_inserts(benchmark::State& state) {
    auto& subjects = population<Kind>::of_run();
    const integer_hasher hash;
    time_filling(state, subjects, [&hash](auto& filter, std::span<const std::uint64_t> part) {
        std::uint64_t refused = 0;
        for (const std::uint64_t key : part) refused += succeeded(filter.insert(hash(key))) ? 0 : 1;
        benchmark::DoNotOptimize(refused);
    });
    if (!subjects.wrong()) describe(state, run_keys().items(), payload_bytes(subjects.full()));
}

template <class Kind>
void time_batch_inserts(benchmark::State& state) {
    auto& subjects = population<Kind>::of_run();
    digest_batch digests;
    std::array<insert_outcome, batch_keys> outcomes;
    time_filling(state, subjects, [&](auto& filter, std::span<const std::uint64_t> part) {
        filter.insert(digests.of(part), std::span(outcomes).first(part.size()));
        benchmark::DoNotOptimize(outcomes.data());
    });
    if (!subjects.wrong()) describe(state, run_keys().items(), payload_bytes(subjects.full()));
}

void time_peer_inserts(benchmark::State& state, peer_population& subjects, manner how) {
    time_filling(state, subjects,
                 [how](peer& filter, std::span<const std::uint64_t> part) { filter.insert(how, part); });
    if (!subjects.wrong()) describe(state, run_keys().items(), subjects.full().payload_bytes());
}

} // namespace

void register_insert() {
    for_each_kind([]<class Kind>() {
        add_measurement("insert", "single", Kind::name, time_single_inserts<Kind>);
        add_measurement("insert", "batch", Kind::name, time_batch_inserts<Kind>);
    });
    for_each_peer(operation::insert, [](peer_population& one, manner how) {
        add_measurement("insert", name_of(how), one.entry().name,
                        [&one, how](benchmark::State& state) { time_peer_inserts(state, one, how); });
    });
}

} // namespace everbloom::bench
