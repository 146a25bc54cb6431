// parallel_may_contain: one batch of queries on a partitioned filter, by several threads with a list of sub-filters each.
#pragma once

#include <everbloom/filter/chain/partitioned.hpp>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace everbloom {

/// The same answers as `may_contain`, by `threads` threads including the caller's. For large batches: a thread takes some ten
/// microseconds to start. If no thread can be started, the caller does the work.
template <class Store>
void parallel_may_contain(const basic_partitioned_filter<Store>& filter, std::span<const digest> items,
                          std::span<std::uint8_t> answers, unsigned threads) {
    std::fill(answers.begin(), answers.end(), std::uint8_t{0});
    const std::uint64_t partitions = filter.lists();
    const std::uint64_t workers = std::clamp<std::uint64_t>(threads, 1, partitions);
    std::uint64_t next = 0; // lists are taken one at a time: a long one does not hold up the others
    const auto work = [&] {
        for (;;) {
            const std::uint64_t mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
            if (mine >= partitions) return;
            may_contain_in(filter, mine, items, answers);
        }
    };
    std::vector<std::thread> helpers;
    try {
        helpers.reserve(workers - 1);
        while (helpers.size() + 1 < workers) helpers.emplace_back(work);
    } catch (const std::system_error&) {
        // Fewer threads: those that run take the lists of the others.
    } catch (const std::bad_alloc&) {
        // The same without the memory to start one. A thread that runs must be waited for, so nothing may escape from here.
    }
    work();
    for (std::thread& helper : helpers) helper.join();
}

} // namespace everbloom
