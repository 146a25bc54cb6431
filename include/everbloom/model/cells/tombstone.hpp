// Model of the tombstone filter: two Bloom filters of half the bits each. Derivation: docs/models/tombstone.md.
//
//     fpr (of absent keys)     = f(N) - f(removed)              f: FPR of a Bloom filter with that many items; what was
//                                                              removed was inserted, so its bits are among the inserted
//     false negatives          = f(removed)                     a member that looks removed
//     deletability             = 1 - f(removed)                 a member that looks removed cannot be removed
#pragma once

#include <everbloom/filter/cells/tombstone.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

namespace everbloom {

struct tombstone_model {
    [[nodiscard]] static result<two_bit_spec> plan(const workload& wanted, two_bit_spec preset = {}) {
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.hashes = sized->hashes;
        preset.bits = 2 * sized->cells;
        return preset;
    }

    [[nodiscard]] static two_bit_spec with_best_hashes(two_bit_spec spec, std::uint64_t items) noexcept {
        spec.hashes = best_hashes(spec.cells(), items);
        return spec;
    }

    [[nodiscard]] static prediction predict(const two_bit_spec& spec, const lifetime& lived) noexcept {
        const auto items = static_cast<double>(lived.items);
        const double removed = items * (lived.removed_share + lived.churn_rounds);
        const double looks_removed = rate(spec, removed);
        return {rate(spec, items + removed) - looks_removed, 1 - looks_removed};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_tombstone_filter<Store>& filter) noexcept {
        const auto cells = static_cast<double>(filter.cells());
        const auto hashes = static_cast<double>(filter.spec().hashes);
        const auto inserted = static_cast<double>(filter.count_inserted_ones());
        const auto removed = static_cast<double>(filter.count_removed_ones());
        const double looks_removed = std::pow(removed / cells, hashes);
        return {std::pow(inserted / cells, hashes) - looks_removed,
                std::fmax(0, items_for_occupied(inserted, cells, hashes) - items_for_occupied(removed, cells, hashes)),
                1 - looks_removed};
    }

private:
    [[nodiscard]] static double rate(const two_bit_spec& spec, double items) noexcept {
        return all_occupied(static_cast<double>(spec.cells()), static_cast<double>(spec.hashes), items);
    }
};

} // namespace everbloom
