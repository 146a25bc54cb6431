// Model of the tombstone filter: two Bloom filters of half the bits each. Derivation: docs/models/tombstone.md.
//
//     fpr (of absent keys)     = f(N) - f(removed)              f: FPR of a Bloom filter with that many items; what was
//                                                              removed was inserted, so its bits are among the inserted
//     false negatives          = f(removed)                     a member that looks removed
//     deletability             = 1 - f(removed)                 a member that looks removed cannot be removed
#pragma once

#include <everbloom/filter/cells/tombstone.hpp>
#include <everbloom/model/bloom/double_hashing.hpp>
#include <everbloom/model/cells/saturating_cells.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

namespace everbloom {

struct tombstone_model {
    [[nodiscard]] static result<two_bit_spec> plan(const workload& wanted, two_bit_spec preset = {}) {
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.hashes = sized->hashes;
        preset.bits = 2 * sized->cells;
        const auto items = static_cast<double>(wanted.items);
        if (linked(preset, items,
                   -std::expm1(-load_of(items, static_cast<double>(preset.hashes),
                                        static_cast<double>(preset.cells())))) > most_linked_share * wanted.fpr) {
            preset.probe = static_cast<std::uint64_t>(probe_scheme::independent);
        }
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
        const double ever = items_for_occupied(inserted, cells, hashes);
        const double gone = items_for_occupied(removed, cells, hashes);
        const auto rate = [&](double ones, double items) {
            return std::fmin(1.0, std::pow(ones / cells, hashes) + linked(filter.spec(), items, ones / cells));
        };
        const double looks_removed = rate(removed, gone);
        return {rate(inserted, ever) - looks_removed, std::fmax(0, ever - gone), 1 - looks_removed};
    }

private:
    [[nodiscard]] static double rate(const two_bit_spec& spec, double items) noexcept {
        const auto cells = static_cast<double>(spec.cells());
        const auto hashes = static_cast<double>(spec.hashes);
        const double share = -std::expm1(-load_of(items, hashes, cells));
        return std::fmin(1.0, all_occupied(cells, hashes, items) + linked(spec, items, share));
    }
    /// The part of the rate that comes from keys with nearly the same two hashes as one of the items.
    [[nodiscard]] static double linked(const two_bit_spec& spec, double items, double share) noexcept {
        return linked_positions(spec.scheme(), static_cast<double>(spec.cells()), static_cast<double>(spec.hashes),
                                items, share);
    }
};

} // namespace everbloom
