// What is left of the speed of a filter that has grown? Kinds that grow by themselves begin as large as the keys need, and 16 and 256
// times too small.
#include "keys.hpp"
#include "measurements.hpp"
#include "population.hpp"
#include "settings.hpp"

#include <everbloom/hash/integer.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace everbloom::bench {
namespace {

using digests = std::vector<digest>;

digests hashed(std::span<const std::uint64_t> keys) {
    const integer_hasher hash;
    digests made;
    made.reserve(keys.size());
    for (const std::uint64_t key : keys) made.push_back(hash(key));
    return made;
}

template <class Act>
void in_batches(const digests& items, Act act) {
    for (std::size_t from = 0; from < items.size(); from += batch_keys) {
        act(std::span(items).subspan(from, std::min(batch_keys, items.size() - from)));
    }
}

/// Begun for a part of the keys.
any_filter begun(const kind_info& kind, std::uint64_t growth) {
    const std::uint64_t items = std::max<std::uint64_t>(1, run_settings().items / growth);
    auto made = build({std::string(kind.name), items, run_settings().fpr, {}});
    if (!made) throw std::runtime_error(made.error().sentence);
    return std::move(*made);
}

void fill(any_filter& filter, const digests& members) {
    std::array<insert_outcome, batch_keys> outcomes;
    in_batches(members, [&](std::span<const digest> part) {
        (void)filter.insert(part, std::span(outcomes).first(part.size()));
    });
}

void time_filling(benchmark::State& state, const kind_info& kind, std::uint64_t growth) {
    const digests members = hashed(run_keys().members());
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        any_filter filter = begun(kind, growth);
        state.ResumeTiming();
        fill(filter, members);
        bytes = filter.payload_bytes();
    }
    describe(state, members.size(), bytes);
}

void time_absent(benchmark::State& state, const kind_info& kind, std::uint64_t growth) {
    const digests members = hashed(run_keys().members());
    const digests absent_keys = hashed(run_keys().absent_keys());
    any_filter filter = begun(kind, growth);
    fill(filter, members);
    std::array<std::uint8_t, batch_keys> answers;
    std::size_t from = 0;
    for (auto _ : state) {
        filter.may_contain(std::span(absent_keys).subspan(from, batch_keys), answers);
        benchmark::DoNotOptimize(answers.data());
        from = from + 2 * batch_keys <= absent_keys.size() ? from + batch_keys : 0;
    }
    describe(state, batch_keys, filter.payload_bytes());
}

/// The first batches leave, and come back outside the clock.
void time_erasing(benchmark::State& state, const kind_info& kind, std::uint64_t growth) {
    const digests members = hashed(run_keys().members());
    any_filter filter = begun(kind, growth);
    fill(filter, members);
    std::array<erase_outcome, batch_keys> outcomes;
    std::array<insert_outcome, batch_keys> back;
    std::size_t from = 0;
    for (auto _ : state) {
        const auto part = std::span(members).subspan(from, batch_keys);
        (void)filter.erase(part, outcomes);
        state.PauseTiming();
        (void)filter.insert(part, back);
        from = from + 2 * batch_keys <= members.size() ? from + batch_keys : 0;
        state.ResumeTiming();
    }
    describe(state, batch_keys, filter.payload_bytes());
}

bool grows_by_itself(const kind_info& kind) {
    return kind.capabilities.has(capability::insert) &&
           std::any_of(kind.parameters.begin(), kind.parameters.end(),
                       [](const parameter_info& one) { return one.role == field_role::state; });
}

} // namespace

void register_growth() {
    for (const kind_info& kind : known_kinds()) {
        if (!run_settings().includes(kind.name) || !grows_by_itself(kind)) continue;
        for (const std::uint64_t growth : {1u, 16u, 256u}) {
            const auto add = [&](const std::string& what, auto time) {
                add_measurement("growth", what + " " + std::to_string(growth) + "x", kind.name,
                                [&kind, growth, time](benchmark::State& state) { time(state, kind, growth); });
            };
            add("insert", time_filling);
            add("absent", time_absent);
            if (kind.capabilities.has(capability::erase)) add("erase", time_erasing);
        }
    }
}

} // namespace everbloom::bench
