// Model of the counting Bloom filter with sticky counters. Derivation: docs/models/counting.md.
#pragma once

#include <everbloom/filter/counting.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/saturating_cells.hpp>
#include <everbloom/model/sizing.hpp>

namespace everbloom {

struct counting_model {
    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0.
    [[nodiscard]] static result<counting_spec> plan(const workload& wanted, counting_spec preset = {}) {
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.bits = sized->cells * preset.counter_bits;
        preset.hashes = sized->hashes;
        return preset;
    }

    [[nodiscard]] static counting_spec with_best_hashes(counting_spec spec, std::uint64_t items) noexcept {
        spec.hashes = best_hashes(spec.cells(), items);
        return spec;
    }

    [[nodiscard]] static prediction predict(const counting_spec& spec, const life& lived) noexcept {
        if (lived.turnovers > 0) return {};
        const saturating_cells cells{static_cast<double>(spec.cells()), static_cast<double>(spec.hashes),
                                     low_mask(static_cast<unsigned>(spec.counter_bits)) - 1};
        const double inserted = static_cast<double>(lived.items) * (1 + lived.removed_share);
        return {cells.fpr(inserted, lived.removed_share / (1 + lived.removed_share)), cells.deletability(inserted)};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_counting_filter<Store>& filter) noexcept {
        std::uint64_t occupied = 0;
        std::uint64_t stuck = 0;
        std::uint64_t free_count = 0; // sum of the counters that still move
        for (std::uint64_t i = 0; i < filter.cells(); ++i) {
            const std::uint64_t value = filter.cell(i);
            occupied += value != 0 ? 1 : 0;
            if (value == filter.stuck_value()) {
                ++stuck;
            } else {
                free_count += value;
            }
        }
        const auto cells = static_cast<double>(filter.cells());
        const auto hashes = static_cast<double>(filter.spec().hashes);
        measurement seen;
        seen.fpr = std::pow(static_cast<double>(occupied) / cells, hashes);
        if (stuck == 0) {
            // Nothing is hidden: every item is worth k counts, less the rare positions that an item hits twice.
            const double cells_per_item = cells * -std::expm1(hashes * std::log1p(-1 / cells));
            seen.items = static_cast<double>(free_count) / cells_per_item;
            seen.deletable_share = 1;
        } else {
            seen.items = items_for_occupied(static_cast<double>(occupied), cells, hashes);
            const double in_stuck =
                1 - std::fmin(1.0, static_cast<double>(free_count) / std::fmax(seen.items * hashes, 1.0));
            seen.deletable_share = 1 - std::pow(in_stuck, hashes);
        }
        return seen;
    }
};

} // namespace everbloom
