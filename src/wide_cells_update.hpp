// Changing the cells of many keys with AVX-512: the loop that src/wide_cells_insert.cpp and src/wide_cells_erase.cpp have in common.
//
// Keys take their turns one after the other, so that each one meets what those before it have left. While the keys of one window are
// worked on, the cells of the next one are sent for, key by key: all at once would wait for each other.
#pragma once

#include "wide_cells.hpp"

#if defined(EVERBLOOM_WIDE_CELLS)
#include <utility>

namespace everbloom::kernel {

/// Two vectors of keys, and whether two positions of a key are equal: bit i for key i.
struct update_window : place_window<32> {
    std::uint32_t repeats = 0;
};

/// The cells of the keys in a window.
struct window_cells {
    /// A unit that is read, and then written.
    class changed_unit {
    public:
        EVERBLOOM_WIDE [[gnu::always_inline]] inline changed_unit(wide_unit* units, std::uint32_t index) noexcept
            : units_(units), index_(index), found_(units[index]) {}

        EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint32_t found() const noexcept { return found_; }
        EVERBLOOM_WIDE [[gnu::always_inline]] inline void become(std::uint32_t made) noexcept {
            asm("" : "+r"(index_)); // g++ would spend an instruction on an address that the store can work out
            units_[index_] = made;
        }

    private:
        wide_unit* units_;
        std::uint64_t index_;
        std::uint32_t found_;
    };

    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline changed_unit change(unsigned i,
                                                                                std::size_t key) const noexcept {
        return {units, index(i, key)};
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline wide_unit& unit(unsigned i,
                                                                            std::size_t key) const noexcept {
        return units[index(i, key)];
    }
    EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline std::uint32_t index(unsigned i,
                                                                                std::size_t key) const noexcept {
        return window->unit[i][key];
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
    const update_window* window = nullptr;
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
/// count)` for the window, if there is such a function. `Once`: equal positions of a key are marked. `Hashes` as for for_each_hash.
template <unsigned BitsShift, unsigned Hashes, bool Once, class Bits, class Act>
EVERBLOOM_WIDE [[gnu::always_inline]] inline void update_windows(const probing& how, std::span<const digest> items,
                                                                 Bits bits, Act act) noexcept {
    static constexpr std::size_t most = update_window::keys;
    const bool is_far = how.range << BitsShift >> 3 > wide_near_bytes;
    const auto send_for = [&](const update_window& window, std::size_t key) EVERBLOOM_WIDE_LAMBDA {
        for_each_hash<Hashes>(0, how.hashes, [&](unsigned i) EVERBLOOM_WIDE_LAMBDA {
            prefetch_line(act.units + window.unit[i][key]);
            if constexpr (requires { act.flags; }) prefetch_line(act.flags + window.unit[i][key]);
        });
    };
    const auto find = [&](std::size_t from, std::size_t count, update_window& made) EVERBLOOM_WIDE_LAMBDA {
        place_finder<BitsShift, Once, Bits> finder(how.range, bits);
        made.repeats = 0;
        for (std::size_t first = 0; first < count; first += finder.keys) {
            finder.begin(items.data() + from + first, std::min(finder.keys, count - first));
            for_each_hash<Hashes>(0, how.hashes,
                                  [&](unsigned i) EVERBLOOM_WIDE_LAMBDA { finder.step(i, made, first); });
            if constexpr (Once) made.repeats |= finder.repeats() << first;
        }
    };
    std::array<update_window, 2> windows;
    update_window* now = &windows[0];
    update_window* next = &windows[1];
    std::size_t count = std::min(most, items.size());
    find(0, count, *now);
    if (is_far) {
        for (std::size_t key = 0; key < count; ++key) send_for(*now, key);
    }
    for (std::size_t from = 0; from < items.size(); from += most) {
        const std::size_t behind = std::min(most, items.size() - from - count);
        if (behind != 0) find(from + count, behind, *next);
        act.window = now;
        if (is_far) {
            for (std::size_t key = 0; key < count; ++key) {
                if (key < behind) send_for(*next, key);
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
