// Batches of counters of four bits by the cell kernel: what the set of a key's counters means for insertion and removal.
#pragma once

#include <everbloom/filter/kernel/cell_batch.hpp>
#include <everbloom/filter/outcomes.hpp>

#if defined(EVERBLOOM_CELL_KERNEL)

namespace everbloom::kernel {

template <unsigned Fours>
EVERBLOOM_MODERN void ask_counters(const std::uint64_t* words, std::span<const digest> items,
                                   std::span<std::uint8_t> answers, const probing& how) noexcept {
    query_cells<4, Fours>(reinterpret_cast<const cell_unit*>(words), items, answers, how,
                          [](const digest&) EVERBLOOM_MODERN_LAMBDA { return 15u; });
}

/// `one(item)` inserts a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void insert_counters(std::uint64_t* words, std::span<const digest> items,
                                      std::span<insert_outcome> outcomes, const probing& how, One one) noexcept {
    auto* const units = reinterpret_cast<cell_unit*>(words);
    update_cells<4, Fours>(units, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        constexpr unsigned eights = cell_places<Fours>::eights;
        eight_ints found[eights]; // NOLINT(*-avoid-c-arrays)
        eight_signed_ints nearly_stuck{};
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) {
            found[e] = load_units(units, at, e);
            const auto value = reinterpret_cast<eight_signed_ints>(found[e] >> at.shift[e] & 15u);
            nearly_stuck |= value > 13;
        }
        if (at.may_repeat || any_bit(nearly_stuck)) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) store_units(units, at, e, found[e] + (each_one << at.shift[e]));
        outcomes[i] = insert_outcome::inserted;
    });
}

/// `one(item)` removes a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void erase_counters(std::uint64_t* words, std::span<const digest> items,
                                     std::span<erase_outcome> outcomes, const probing& how, One one) noexcept {
    auto* const units = reinterpret_cast<cell_unit*>(words);
    update_cells<4, Fours>(units, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        constexpr unsigned eights = cell_places<Fours>::eights;
        eight_ints found[eights]; // NOLINT(*-avoid-c-arrays)
        eight_signed_ints stuck{};
        eight_signed_ints empty{};
        eight_signed_ints last{};
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) {
            found[e] = load_units(units, at, e);
            const auto value = reinterpret_cast<eight_signed_ints>(found[e] >> at.shift[e] & 15u);
            stuck |= value == 15;
            empty |= value == 0;
            last |= value == 1;
        }
        if (at.may_repeat || any_bit(stuck)) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        if (any_bit(empty)) {
            outcomes[i] = erase_outcome::not_present;
            return;
        }
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) store_units(units, at, e, found[e] - (each_one << at.shift[e]));
        outcomes[i] = any_bit(last) ? erase_outcome::removed : erase_outcome::removed_still_positive;
    });
}

} // namespace everbloom::kernel
#endif
