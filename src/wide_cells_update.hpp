// Changing the cells of many keys with AVX-512: the loop that src/wide_cells_insert.cpp and src/wide_cells_erase.cpp have in common.
//
// Keys take their turns one after the other, so that each one meets what those before it have left. While the keys of one window are
// worked on, the cells of the next one are sent for, key by key: all at once would wait for each other.
#pragma once

#include "wide_cells.hpp"

#if defined(EVERBLOOM_WIDE_CELLS)
#include <utility>

namespace everbloom::kernel {

/// The cells of the keys in a window.
struct window_cells {
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline wide_unit& unit(unsigned i,
                                                                            std::size_t key) const noexcept {
        return units[window->unit[i][key]];
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint32_t bits(unsigned i,
                                                                               std::size_t key) const noexcept {
        return window->bits[i][key];
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline bool repeats(std::size_t key) const noexcept {
        return (window->repeats >> key & 1) != 0;
    }

    wide_unit* units;
    unsigned hashes;
    const place_window* window = nullptr;
};

/// What kinds that report an outcome have in common.
template <class Outcome>
struct outcome_cells : window_cells {
    EVERBLOOM_WIDE [[gnu::always_inline]] inline void leave_to_one(std::size_t index) const noexcept {
        outcomes[index] = (*one)(items[index]);
    }
    const digest* items = nullptr;
    Outcome* outcomes = nullptr;
    const one_key<Outcome>* one = nullptr;
};

/// Calls `act(index, key)` for every key: its index in the batch, and its number in the window; then `act.finish(index of the first key,
/// count)` for the window, if there is such a function. `Once`: equal positions of a key are marked.
template <bool Once, class Places, class Bits, class Act>
EVERBLOOM_WIDE [[gnu::always_inline]] inline void
update_windows(const Places& places, std::span<const digest> items, Bits bits, Act act) noexcept {
    constexpr std::size_t most = window_keys;
    std::array<place_window, 2> windows;
    place_window* now = &windows[0];
    place_window* next = &windows[1];
    std::size_t count = std::min(most, items.size());
    places.template find<Once>(items.data(), count, *now, bits);
    if (places.is_far) {
        for (std::size_t key = 0; key < count; ++key) places.prefetch(act.units, *now, key, 0);
    }
    for (std::size_t from = 0; from < items.size(); from += most) {
        const std::size_t behind = std::min(most, items.size() - from - count);
        if (behind != 0) places.template find<Once>(items.data() + from + count, behind, *next, bits);
        act.window = now;
        if (places.is_far) {
            for (std::size_t key = 0; key < count; ++key) {
                if (key < behind) places.prefetch(act.units, *next, key, 0);
                act(from + key, key);
            }
        } else {
            for (std::size_t key = 0; key < count; ++key) act(from + key, key);
        }
        if constexpr (requires { act.finish(from, count); }) act.finish(from, count);
        count = behind;
        std::swap(now, next);
    }
}

} // namespace everbloom::kernel
#endif
