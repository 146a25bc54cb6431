// Batches: while one item's memory is on its way, the next items are worked out.
//
// A cache miss takes as long as some hundred instructions, and a core can have ten or more under way. So a batch is cut into
// windows; for each window all addresses are computed and prefetched first, then all items are finished.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/probe/positions.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace everbloom {

/// Enough to keep every miss buffer of a core busy, few enough that the prepared addresses stay in the first-level cache.
inline constexpr std::size_t prefetch_window = 32;

/// For filters that touch all k cells of an item: `prepare(item)` gives its positions, `act(index, positions)` finishes it.
template <class Prefetch, class Prepare, class Act>
void update_in_windows(std::span<const digest> items, Prefetch prefetch, Prepare prepare, Act act) noexcept {
    std::array<position_list, prefetch_window> prepared;
    for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
        const std::size_t count = std::min(prefetch_window, items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            prepared[i] = prepare(items[from + i]);
            for (const std::uint64_t position : prepared[i].get()) prefetch(position);
        }
        for (std::size_t i = 0; i < count; ++i) act(from + i, prepared[i]);
    }
}

/// For queries that stop at the first empty cell. Most absent keys fail within two cells, so only two are fetched at first;
/// the survivors then fetch all of the rest at once.
template <class Prefetch, class Occupied>
void query_in_windows(std::span<const digest> items, std::span<std::uint8_t> answers, probe_scheme scheme,
                      unsigned hashes, std::uint64_t range, Prefetch prefetch, Occupied occupied) noexcept {
    constexpr unsigned first_look = 2;
    const unsigned early = std::min(hashes, first_look);
    std::array<std::array<std::uint64_t, first_look>, prefetch_window> first;
    std::array<position_list, prefetch_window> rest;
    std::array<std::size_t, prefetch_window> survivors;
    for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
        const std::size_t count = std::min(prefetch_window, items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            position_sequence sequence(items[from + i], scheme, range);
            for (unsigned j = 0; j < early; ++j) prefetch(first[i][j] = sequence.next());
        }
        std::size_t alive = 0;
        for (std::size_t i = 0; i < count; ++i) {
            bool all = true;
            for (unsigned j = 0; j < early; ++j) all &= occupied(items[from + i], first[i][j]);
            answers[from + i] = static_cast<std::uint8_t>(all);
            survivors[alive] = i;
            alive += all ? 1 : 0;
        }
        if (hashes <= first_look) continue;
        for (std::size_t s = 0; s < alive; ++s) {
            rest[s] = position_list::all(items[from + survivors[s]], scheme, hashes, range);
            for (const std::uint64_t position : rest[s].get().subspan(early)) prefetch(position);
        }
        for (std::size_t s = 0; s < alive; ++s) {
            const std::size_t index = from + survivors[s];
            const auto left = rest[s].get().subspan(early);
            answers[index] = static_cast<std::uint8_t>(
                std::all_of(left.begin(), left.end(), [&](std::uint64_t at) { return occupied(items[index], at); }));
        }
    }
}

} // namespace everbloom
