// Batches: memory accesses of many items are overlapped by prefetching.
//
// A cache miss takes as long as some hundred instructions, and a core can have ten or more under way. So a batch is cut into
// windows; for each window all addresses are computed and prefetched first, then all items are finished. What the second-level cache holds is
// so near that the processor overlaps it by itself: there the rest of the positions is neither kept nor prefetched.
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

/// Whether a filter of this size is near.
[[nodiscard]] constexpr bool is_near(std::uint64_t bytes) noexcept { return bytes <= 512 * 1024; }

enum class repeated_positions { kept, dropped };

/// For operations that touch all k cells of an item: `act(index, positions)` finishes the item at `index`.
template <repeated_positions Repeated, class Probing = probing, class Prefetch, class Act>
void update_in_windows(std::span<const digest> items, const Probing& how, Prefetch prefetch, Act act) noexcept {
    // `how` by value: the compiler must see that writing cells cannot change it.
    with_scheme(how, [=]<probe_scheme Scheme>() {
        std::array<position_list, prefetch_window> prepared;
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t count = std::min(prefetch_window, items.size() - from);
            for (std::size_t i = 0; i < count; ++i) {
                prepared[i].restart();
                prepared[i].append(position_walk<Scheme>(items[from + i]), how.hashes, how.range, prefetch);
            }
            for (std::size_t i = 0; i < count; ++i) {
                if constexpr (Repeated == repeated_positions::dropped) prepared[i].keep_distinct();
                act(from + i, prepared[i].get());
            }
        }
    });
}

/// For queries that stop at the first empty cell: `occupied(item, position)`. Most absent keys fail within two cells, so only
/// two are prefetched at first; for the survivors all of the rest are prefetched at once. `bytes`: of the filter.
template <class Probing = probing, class Prefetch, class Occupied>
void query_in_windows(std::span<const digest> items, std::span<std::uint8_t> answers, const Probing& how,
                      Prefetch prefetch, Occupied occupied, std::uint64_t bytes) noexcept {
    constexpr unsigned first_look = 2;
    const unsigned early = std::min(how.hashes, first_look);
    const unsigned late = how.hashes - early;
    // `how` by value: the compiler must see that writing cells cannot change it.
    with_scheme(how, [=]<probe_scheme Scheme>() {
        std::array<position_walk<Scheme>, prefetch_window> walks;
        std::array<std::array<std::uint64_t, first_look>, prefetch_window> first;
        std::array<position_list, prefetch_window> rest;
        std::array<std::size_t, prefetch_window> survivors;
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t count = std::min(prefetch_window, items.size() - from);
            for (std::size_t i = 0; i < count; ++i) {
                position_walk<Scheme> walk(items[from + i]);
                for (unsigned j = 0; j < early; ++j) prefetch(first[i][j] = walk.next(how.range));
                walks[i] = walk;
            }
            std::size_t alive = 0;
            for (std::size_t i = 0; i < count; ++i) {
                bool all = true;
                for (unsigned j = 0; j < early; ++j) all &= occupied(items[from + i], first[i][j]);
                answers[from + i] = static_cast<std::uint8_t>(all);
                survivors[alive] = i;
                alive += all ? 1 : 0;
            }
            if (is_near(bytes)) {
                for (std::size_t s = 0; s < alive; ++s) {
                    const std::size_t index = from + survivors[s];
                    bool all = true;
                    for (unsigned j = 0; j < late && all; ++j) {
                        all = occupied(items[index], walks[survivors[s]].next(how.range));
                    }
                    answers[index] = static_cast<std::uint8_t>(all);
                }
                continue;
            }
            for (std::size_t s = 0; s < alive; ++s) {
                rest[s].restart();
                rest[s].append(walks[survivors[s]], late, how.range, prefetch);
            }
            for (std::size_t s = 0; s < alive; ++s) {
                const std::size_t index = from + survivors[s];
                const auto left = rest[s].get();
                answers[index] = static_cast<std::uint8_t>(std::all_of(
                    left.begin(), left.end(), [&](std::uint64_t at) { return occupied(items[index], at); }));
            }
        }
    });
}

} // namespace everbloom
