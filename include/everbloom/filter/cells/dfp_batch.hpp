// Batches of D-FP cells by the cell kernel: what the set of a key's cells means for insertion and removal.
#pragma once

#include <everbloom/filter/cells/counter_batch.hpp>
#include <everbloom/probe/fingerprint.hpp>

#if defined(EVERBLOOM_CELL_KERNEL)

namespace everbloom::kernel {

/// Loops over exactly the cells of a key: its cells are written twice with another result than once. `one(item)` inserts a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void insert_fingerprints(std::uint64_t* cells, std::span<const digest> items,
                                          std::span<insert_outcome> outcomes, const probing& how, One one) noexcept {
    const unsigned hashes = how.hashes;
    update_cells<2, Fours>(cells, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        if (at.may_repeat) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        const std::uint64_t tag = 1 + fingerprint(items[i], 1);
        std::uint64_t met = 0;
#pragma GCC unroll 12
        for (unsigned c = 0; c < 4 * Fours; ++c) {
            if (c >= 4 * Fours - 3 && c >= hashes) break;
            std::uint64_t& word = cells[at.words[c]];
            const std::uint64_t value = word >> (at.shifts[c] % word_bits) & 3;
            met |= value;
            word |= (value == 0 ? tag : 3) << (at.shifts[c] % word_bits);
        }
        outcomes[i] = met != 0 ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    });
}

/// `one(item)` removes a single key.
template <unsigned Fours, class One>
EVERBLOOM_MODERN void erase_fingerprints(std::uint64_t* cells, std::span<const digest> items,
                                         std::span<erase_outcome> outcomes, const probing& how, One one) noexcept {
    update_cells<2, Fours>(cells, items, how, [&](std::size_t i, const cell_places<Fours>& at) EVERBLOOM_MODERN_LAMBDA {
        if (at.may_repeat) [[unlikely]] {
            outcomes[i] = one(items[i]);
            return;
        }
        const std::uint64_t tag = 1 + fingerprint(items[i], 1);
        const unsigned seen = values_at<2>(cells, at);
        if ((seen & ~(1u << 3 | 1u << tag)) != 0) {
            outcomes[i] = erase_outcome::not_present;
            return;
        }
        if ((seen & 1u << tag) == 0) {
            outcomes[i] = erase_outcome::not_deletable;
            return;
        }
        // A cell that holds the fingerprint alone is emptied; those beyond the last are the first cell, then empty.
#pragma GCC unroll 12
        for (unsigned c = 0; c < 4 * Fours; ++c) {
            std::uint64_t& word = cells[at.words[c]];
            const std::uint64_t value = word >> (at.shifts[c] % word_bits) & 3;
            word ^= (value == tag ? tag : 0) << (at.shifts[c] % word_bits);
        }
        outcomes[i] = erase_outcome::removed;
    });
}

} // namespace everbloom::kernel
#endif
