// What does the front door cost? The same keys through the raw filter with its hash (raw), through filter<Key, Kind> (fixed), and through
// filter<Key> whose kind is known at run time only (any); one key at a time and in batches. Small filters, so that memory hides nothing.
#include "keys.hpp"
#include "measurements.hpp"

#include <everbloom/everbloom.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/hash/integer.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace everbloom::bench {
namespace {

constexpr std::uint64_t door_keys = 20'000;

filter_options for_the_door(std::string_view kind) {
    return {.capacity = door_keys,
            .fpr = 0.01,
            .kind = std::string(kind),
            .hash = hash_id::integer,
            .key = hash_key::from_seed(1),
            .overfill = true};
}

/// The raw filter with the interface of the door.
template <class Kind>
class raw_door {
public:
    raw_door()
        : filter_(make<typename Kind::filter>(
                      filter<std::uint64_t, Kind>(for_the_door("")).untyped().template as<Kind>()->spec())
                      .value()),
          hash_(hash_key::from_seed(1)) {}

    [[nodiscard]] bool may_contain(std::uint64_t key) const noexcept { return filter_.may_contain(hash_(key)); }
    insert_outcome insert(std::uint64_t key) noexcept { return filter_.insert(hash_(key)); }
    void may_contain(const std::vector<std::uint64_t>& keys, std::span<std::uint8_t> answers) const noexcept {
        in_batches(keys, [&](std::span<const digest> items, std::size_t first) {
            filter_.may_contain(items, answers.subspan(first, items.size()));
        });
    }
    void insert(const std::vector<std::uint64_t>& keys, std::span<insert_outcome> outcomes) noexcept {
        in_batches(keys, [&](std::span<const digest> items, std::size_t first) {
            filter_.insert(items, outcomes.subspan(first, items.size()));
        });
    }
    void clear() noexcept { filter_.clear(); }

private:
    template <class Use>
    void in_batches(const std::vector<std::uint64_t>& keys, Use use) const {
        std::array<digest, batch_items> digests;
        for (std::size_t first = 0; first < keys.size(); first += batch_items) {
            const std::size_t count = std::min(batch_items, keys.size() - first);
            for (std::size_t i = 0; i < count; ++i) digests[i] = hash_(keys[first + i]);
            use(std::span<const digest>(digests.data(), count), first);
        }
    }

    typename Kind::filter filter_;
    integer_hasher hash_;
};

template <class Door>
void time_door(benchmark::State& state, std::string_view variant, Door door) {
    std::vector<std::uint64_t> keys(door_keys);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_at(i);
    std::vector<std::uint8_t> answers(keys.size());
    std::vector<insert_outcome> outcomes(keys.size());
    door.insert(keys, outcomes);
    for (auto _ : state) {
        if (variant.ends_with("insert")) {
            state.PauseTiming();
            door.clear();
            state.ResumeTiming();
        }
        std::uint64_t sum = 0;
        if (variant == "one_ask") {
            for (const std::uint64_t key : keys) sum += door.may_contain(key) ? 1 : 0;
        } else if (variant == "one_insert") {
            for (const std::uint64_t key : keys) sum += static_cast<std::uint64_t>(door.insert(key));
        } else if (variant == "batch_ask") {
            door.may_contain(keys, std::span(answers));
        } else {
            door.insert(keys, std::span(outcomes));
        }
        benchmark::DoNotOptimize(sum);
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}

template <class Kind>
void register_kind(std::string_view kind) {
    for (const char* variant : {"one_ask", "one_insert", "batch_ask", "batch_insert"}) {
        const std::string name(kind);
        add_measurement("front_door", variant, name + "_raw",
                        [variant](benchmark::State& state) { time_door(state, variant, raw_door<Kind>()); });
        add_measurement("front_door", variant, name + "_fixed", [variant](benchmark::State& state) {
            time_door(state, variant, filter<std::uint64_t, Kind>(for_the_door("")));
        });
        add_measurement("front_door", variant, name + "_any", [variant, name](benchmark::State& state) {
            time_door(state, variant, filter<std::uint64_t>(for_the_door(name)));
        });
    }
}

} // namespace

void register_front_door() {
    register_kind<bloom>("bloom");
    register_kind<blocked>("blocked");
    register_kind<dfp>("dfp");
    register_kind<elastic_blocked>("elastic_blocked");
}

} // namespace everbloom::bench
