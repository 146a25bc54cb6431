// Model of filters with saturating cells, which count exactly up to c: one derivation, six kinds (docs/models/saturating.md).
//
// A kind differs by its traits:
//   exact_up_to(spec)     c
//   lone_says_maybe(spec) a: 1 without fingerprints, 1/2 for dfp, 2^-f for f fingerprint bits
//   bits_for(cells, spec) the size of the whole structure
//   items_in(cell, spec)  what a cell value means; more than c: saturated
#pragma once

#include <everbloom/filter/cells/cell_filter.hpp>
#include <everbloom/model/bloom/double_hashing.hpp>
#include <everbloom/model/cells/churn.hpp>
#include <everbloom/model/cells/load_planning.hpp>
#include <everbloom/model/cells/saturating_cells.hpp>

#include <cmath>
#include <vector>

namespace everbloom {

template <class Traits>
struct saturating_model {
    using spec_type = typename Traits::spec_type;

    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0.
    [[nodiscard]] static result<spec_type> plan(const workload& wanted, spec_type preset = {}) {
        const auto sized = size_by_load(wanted, preset.hashes, fresh_cell(preset));
        if (!sized) return fail(sized.error());
        preset.hashes = sized->hashes;
        preset.bits = Traits::bits_for(sized->cells, preset);
        const auto items = static_cast<double>(wanted.items);
        const auto cells = static_cast<double>(sized->cells);
        const double load = load_of(items, static_cast<double>(preset.hashes), cells);
        if (linked(preset, items, fresh_cell(preset)(load)) > most_linked_share * wanted.fpr) {
            preset.probe = static_cast<std::uint64_t>(probe_scheme::independent);
        }
        // Loads are means: in a small filter their spread costs a little.
        constexpr int rounds = 24;
        std::uint64_t more = sized->cells / 20'000 + 1;
        for (int i = 0; i<rounds&& * predict(preset, {wanted.items}).fpr> wanted.fpr; ++i, more += more / 2 + 1) {
            preset.bits = Traits::bits_for(sized->cells + more, preset);
        }
        return preset;
    }

    [[nodiscard]] static spec_type with_best_hashes(spec_type spec, std::uint64_t items) noexcept {
        spec.hashes = hashes_with_lowest_rate(spec.cells(), items, fresh_cell(spec));
        return spec;
    }

    [[nodiscard]] static prediction predict(const spec_type& spec, const lifetime& lived) {
        const auto hashes = static_cast<double>(spec.hashes);
        const auto items = static_cast<double>(lived.items);
        const auto count = static_cast<double>(spec.cells());
        const double present = load_of(items, hashes, count);
        const saturating_cells cells{present * (1 + lived.removed_share),
                                     lived.removed_share / (1 + lived.removed_share), Traits::exact_up_to(spec)};
        const double maybe = Traits::lone_says_maybe(spec);
        matching_cells matching = matching_cells::of(cells, maybe, count, items);
        double deletability = at_least_one(cells.free(), hashes);
        if (lived.churn_rounds > 0) {
            const churned_cells after = churn_cells(
                {cells.load, cells.deleted_share, present, lived.churn_rounds, static_cast<unsigned>(spec.hashes)},
                cells.exact_up_to);
            const double share = 1 - after.empty - (1 - maybe) * after.lone;
            // The spread of the share changes as that of independent cells does.
            const double before = matching.share * (1 - matching.share);
            if (before > 0) matching.noise *= share * (1 - share) / before;
            matching.share = share;
            matching.lone = after.lone;
            deletability = after.deletability;
        }
        return {std::fmin(1.0, matching.all_of(hashes) + linked(spec, items, matching.share)), deletability};
    }

    /// Removals do not change the share of saturated cells, so it gives the items ever inserted; the other cells give those present.
    template <class Filter>
    [[nodiscard]] static measurement measure(const Filter& filter) {
        const spec_type& spec = filter.spec();
        const std::uint64_t exact = Traits::exact_up_to(spec);
        std::uint64_t empty = 0;
        std::uint64_t lone = 0;
        std::uint64_t stuck = 0;
        std::uint64_t counted = 0;
        filter.for_each_cell([&](std::uint64_t value) {
            const std::uint64_t items = Traits::items_in(value, spec);
            empty += items == 0 ? 1 : 0;
            lone += items == 1 ? 1 : 0;
            stuck += items > exact ? 1 : 0;
            counted += items > exact ? 0 : items;
        });
        const auto cells = static_cast<double>(filter.cells());
        const auto hashes = static_cast<double>(spec.hashes);
        // Positions that an item hits twice count once.
        const double cells_per_item = cells > 1 ? cells * -std::expm1(hashes * std::log1p(-1 / cells)) : 1;
        // A full filter gives only a lower bound: one cell less.
        const double stuck_share = std::fmin(static_cast<double>(stuck), cells - 1) / cells;
        const double load = stuck == 0 ? 0 : load_for(stuck_share, [&](double l) {
            return saturating_cells{l, 0, exact}.stuck();
        });
        const double free = saturating_cells{load, 0, exact}.free();

        measurement seen;
        const double doubt = 1 - Traits::lone_says_maybe(spec);
        const double matching = 1 - static_cast<double>(empty) / cells - doubt * static_cast<double>(lone) / cells;
        seen.items = static_cast<double>(counted) / cells_per_item / free;
        const matching_cells found{matching, 0, 0, static_cast<double>(lone) / cells, 1 - doubt, seen.items};
        seen.fpr = std::fmin(1.0, found.all_of(hashes) + linked(spec, seen.items, matching));
        seen.deletable_share = at_least_one(free, hashes);
        seen.absent_key_risk = seen.fpr - std::pow(static_cast<double>(stuck) / cells, hashes);
        return seen;
    }

private:
    /// The part of the FPR that comes from keys with nearly the same two hashes as a member, and the same fingerprint if there is one.
    [[nodiscard]] static double linked(const spec_type& spec, double items, double matching) noexcept {
        return Traits::lone_says_maybe(spec) * linked_positions(spec.scheme(), static_cast<double>(spec.cells()),
                                                                static_cast<double>(spec.hashes), items, matching);
    }

    // The chance that a cell matches an absent key when nothing has been removed.
    [[nodiscard]] static auto fresh_cell(const spec_type& spec) noexcept {
        return [exact = Traits::exact_up_to(spec), doubt = 1 - Traits::lone_says_maybe(spec)](double load) {
            const saturating_cells cells{load, 0, exact};
            return 1 - cells.empty() - doubt * cells.lone();
        };
    }
};

} // namespace everbloom
