// How fast does a key become a digest? Every hash a file may name, over short keys, a batch at a time as the command line does it.
#include "keys.hpp"
#include "measurements.hpp"

#include <everbloom/hash/any_hasher.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>

namespace everbloom::bench {
namespace {

void time_hashing(benchmark::State& state, hash_id id, std::size_t key_length) {
    constexpr std::size_t different_keys = std::size_t{1} << 14; // 1 MiB of the longest
    std::string bytes(different_keys * key_length, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(key_at(i));
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < different_keys; ++i) {
        keys.push_back(std::string_view(bytes).substr(i * key_length, key_length));
    }

    const any_hasher hash(id, hash_key::from_seed(1));
    std::array<digest, batch_keys> digests;
    std::size_t at = 0;
    for (auto _ : state) {
        hash(std::span(keys).subspan(at, batch_keys), digests);
        benchmark::DoNotOptimize(digests.data());
        benchmark::ClobberMemory();
        at = (at + batch_keys) % different_keys;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch_keys));
}

} // namespace

void register_hash() {
    for (const hash_id id : known_hashes) {
        for (const std::size_t length : {8, 16, 64}) {
            const std::string variant = std::to_string(length) + "_bytes";
            add_measurement("hash", variant, name_of(id),
                            [id, length](benchmark::State& state) { time_hashing(state, id, length); });
        }
    }
}

} // namespace everbloom::bench
