// Readers beside writers, while the filter grows.
//
// The job: several threads record what they have seen, others ask, and it is unknown how many keys will come. `concurrent_filter` takes
// both without a lock of yours: readers never wait, writers wait only for writers of the same shard, and it grows by itself at a constant
// false positive rate.
//
// The output: how far it grew past its capacity, how many questions were answered meanwhile, and its current FPR. The program fails if a
// key was ever missed: a writer publishes "everything below n is in", and readers ask only for such keys.
#include <everbloom/everbloom.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    constexpr std::uint64_t capacity = 2'000;
    constexpr std::uint64_t keys_per_writer = 100'000;
    constexpr std::size_t writers = 2;

    everbloom::concurrent_filter<std::uint64_t> seen({.capacity = capacity, .fpr = 0.01});
    std::array<std::atomic<std::uint64_t>, writers> written{}; // by each writer
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> asked = 0;
    std::atomic<std::uint64_t> missed = 0;
    std::atomic<bool> writing = true;

    const auto write = [&](std::size_t self) {
        for (std::uint64_t i = 0; i < keys_per_writer; ++i) {
            if (!succeeded(seen.insert(i * writers + self))) ++refused;
            written[self].store(i + 1, std::memory_order_release);
        }
    };
    const auto read = [&](std::uint64_t random) {
        while (writing) {
            for (std::size_t writer = 0; writer < writers; ++writer) {
                const std::uint64_t ready = written[writer].load(std::memory_order_acquire);
                if (ready == 0) continue;
                random = random * 6364136223846793005u + 1442695040888963407u; // Knuth's generator: any spread will do
                const std::uint64_t key = (random >> 33) % ready * writers + writer;
                if (!seen.may_contain(key)) ++missed;
                ++asked;
            }
        }
    };

    {
        std::vector<std::jthread> readers;
        for (std::uint64_t seed = 1; seed <= 2; ++seed) readers.emplace_back(read, seed);
        {
            std::vector<std::jthread> at_work;
            for (std::size_t self = 0; self < writers; ++self) at_work.emplace_back(write, self);
        } // joins the writers
        writing = false;
    } // joins the readers

    constexpr std::uint64_t all = writers * keys_per_writer;
    for (std::uint64_t key = 0; key < all; ++key) missed += seen.may_contain(key) ? 0 : 1;
    const everbloom::filter_stats now = seen.stats();
    std::printf("made for %d keys, holds %.0f: %.0f times its capacity\n", static_cast<int>(capacity), now.keys,
                now.fill);
    std::printf("current FPR %.2f %% (target 1 %%), %.1f bits per key\n", 100 * now.fpr, now.bits_per_key);
    std::printf("questions while it grew: %s; missed keys: %d, refused keys: %d\n", asked > 0 ? "answered" : "none",
                static_cast<int>(missed), static_cast<int>(refused));
    return missed == 0 && refused == 0 && seen.keys() == all && now.fpr < 0.02 ? 0 : 1;
}
