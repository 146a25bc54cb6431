// Batches of counters of four bits by the cell kernel: what the set of a key's counters means for insertion and removal.
#pragma once

#include <everbloom/filter/kernel/cell_batch.hpp>
#include <everbloom/filter/outcomes.hpp>

#if defined(EVERBLOOM_CELL_KERNEL)

namespace everbloom::kernel {

inline constexpr unsigned zero_seen = 1u << 0;
inline constexpr unsigned one_seen = 1u << 1;
inline constexpr unsigned nearly_stuck_seen = 1u << 14 | 1u << 15;
inline constexpr unsigned stuck_seen = 1u << 15;

/// What each place gets: one for the cells of a key, nothing for the places beyond them.
template <unsigned Fours>
[[nodiscard]] constexpr std::array<std::uint64_t, 4 * Fours> one_per_cell(unsigned hashes) noexcept {
    std::array<std::uint64_t, 4 * Fours> made{};
    for (unsigned i = 0; i < hashes; ++i) made[i] = 1;
    return made;
}

/// `one(item)` inserts a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void insert_counters(std::uint64_t* cells, std::span<const digest> items,
                                      std::span<insert_outcome> outcomes, const probing& how, One one) noexcept {
    const auto amounts = one_per_cell<Fours>(how.hashes);
    update_cells<4, Fours>(cells, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        if (at.may_repeat || (values_at<4>(cells, at) & nearly_stuck_seen) != 0) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
#pragma GCC unroll 12
        for (unsigned c = 0; c < 4 * Fours; ++c) cells[at.words[c]] += amounts[c] << (at.shifts[c] % word_bits);
        outcomes[i] = insert_outcome::inserted;
    });
}

/// `one(item)` removes a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void erase_counters(std::uint64_t* cells, std::span<const digest> items,
                                     std::span<erase_outcome> outcomes, const probing& how, One one) noexcept {
    const auto amounts = one_per_cell<Fours>(how.hashes);
    update_cells<4, Fours>(cells, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        const unsigned seen = values_at<4>(cells, at);
        if (at.may_repeat || (seen & stuck_seen) != 0) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        if ((seen & zero_seen) != 0) {
            outcomes[i] = erase_outcome::not_present;
            return;
        }
#pragma GCC unroll 12
        for (unsigned c = 0; c < 4 * Fours; ++c) cells[at.words[c]] -= amounts[c] << (at.shifts[c] % word_bits);
        outcomes[i] = (seen & one_seen) != 0 ? erase_outcome::removed : erase_outcome::removed_still_positive;
    });
}

/// Calls `act` with the number of groups of four as a constant, if such batches can be done here.
template <class Act>
[[nodiscard]] bool with_fours(const probing& how, Act act) noexcept {
    if (!takes_cells(how)) return false;
    switch ((how.hashes + 3) / 4) {
    case 1: act.template operator()<1>(); break;
    case 2: act.template operator()<2>(); break;
    default: act.template operator()<3>(); break;
    }
    return true;
}

} // namespace everbloom::kernel
#endif
