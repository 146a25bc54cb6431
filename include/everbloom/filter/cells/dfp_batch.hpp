// Batches of D-FP cells by the cell kernel: what the set of a key's cells means for insertion and removal.
#pragma once

#include <everbloom/filter/cells/counter_batch.hpp>
#include <everbloom/probe/fingerprint.hpp>

#if defined(EVERBLOOM_CELL_KERNEL)

namespace everbloom::kernel {

template <unsigned Fours>
EVERBLOOM_MODERN void ask_fingerprints(const std::uint64_t* words, std::span<const digest> items,
                                       std::span<std::uint8_t> answers, const probing& how) noexcept {
    query_cells<2, Fours>(reinterpret_cast<const cell_unit*>(words), items, answers, how,
                          [](const digest& item)
                              EVERBLOOM_MODERN_LAMBDA { return static_cast<std::uint32_t>(1 + fingerprint(item, 1)); });
}

/// `one(item)` inserts a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void insert_fingerprints(std::uint64_t* words, std::span<const digest> items,
                                          std::span<insert_outcome> outcomes, const probing& how, One one) noexcept {
    auto* const units = reinterpret_cast<cell_unit*>(words);
    update_cells<2, Fours>(units, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        if (at.may_repeat) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        constexpr unsigned eights = cell_places<Fours>::eights;
        const auto tag = static_cast<std::uint32_t>(1 + fingerprint(items[i], 1));
        eight_ints made[eights]; // NOLINT(*-avoid-c-arrays)
        eight_signed_ints met{};
        // All are loaded before the first is stored: the lanes beyond the last cell repeat the first one.
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) {
            const eight_ints found = load_units(units, at, e);
            const eight_ints value = found >> at.shift[e] & 3u;
            met |= reinterpret_cast<eight_signed_ints>(value);
            // An empty cell gets the fingerprint, any other becomes 11.
            const eight_ints wanted = tag | (reinterpret_cast<eight_ints>(value != 0u) & 3u);
            made[e] = found | wanted << at.shift[e];
        }
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) store_units(units, at, e, made[e]);
        outcomes[i] = any_bit(met) ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    });
}

/// `one(item)` removes a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void erase_fingerprints(std::uint64_t* words, std::span<const digest> items,
                                         std::span<erase_outcome> outcomes, const probing& how, One one) noexcept {
    auto* const units = reinterpret_cast<cell_unit*>(words);
    update_cells<2, Fours>(units, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        if (at.may_repeat) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        constexpr unsigned eights = cell_places<Fours>::eights;
        const auto tag = static_cast<std::uint32_t>(1 + fingerprint(items[i], 1));
        eight_ints found[eights]; // NOLINT(*-avoid-c-arrays)
        eight_ints own[eights];   // NOLINT(*-avoid-c-arrays): cells that hold the fingerprint alone
        eight_signed_ints foreign{};
        eight_signed_ints any_own{};
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) {
            found[e] = load_units(units, at, e);
            const eight_ints value = found[e] >> at.shift[e] & 3u;
            own[e] = reinterpret_cast<eight_ints>(value == tag);
            any_own |= reinterpret_cast<eight_signed_ints>(own[e]);
            foreign |= reinterpret_cast<eight_signed_ints>((value & tag) == 0u);
        }
        if (any_bit(foreign)) {
            outcomes[i] = erase_outcome::not_present;
            return;
        }
        if (!any_bit(any_own)) {
            outcomes[i] = erase_outcome::not_deletable;
            return;
        }
#pragma GCC unroll 2
        for (unsigned e = 0; e < eights; ++e) {
            store_units(units, at, e, found[e] ^ (own[e] & tag) << at.shift[e]);
        }
        outcomes[i] = erase_outcome::removed;
    });
}

} // namespace everbloom::kernel
#endif
