// Model of the scalable filter: a chain of Bloom filters with decreasing FPRs. Derivation: docs/models/chains.md.
#pragma once

#include <everbloom/filter/chain/scalable.hpp>
#include <everbloom/model/bloom/double_hashing.hpp>
#include <everbloom/model/chain/chain.hpp>
#include <everbloom/model/growth.hpp>

namespace everbloom {

struct scalable_model {
    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0. The first sub-filter gets the share of the FPR
    /// that leaves room for those of all later ones: P (1 - r), for P (1 - r) (1 + r + r^2 + ...) = P.
    [[nodiscard]] static result<scalable_spec> plan(const workload& wanted, scalable_spec preset = {}) {
        const double first = wanted.fpr * (1 - share_of(preset.tightening));
        const auto sized = size_first_link(wanted, first, preset.hashes, preset.threshold);
        if (!sized) return fail(sized.error());
        preset.initial_bits = sized->cells;
        preset.hashes = sized->hashes;
        return preset;
    }

    /// As for one filter of that size; but no fewer than a chain needs at the usual FPR.
    [[nodiscard]] static scalable_spec with_best_hashes(scalable_spec spec, std::uint64_t items) noexcept {
        const double first = workload{}.fpr * (1 - share_of(spec.tightening));
        spec.hashes = std::max(best_hashes(spec.initial_bits, items), hashes_for_rate(first, spec.threshold));
        return spec;
    }

    [[nodiscard]] static prediction predict(const scalable_spec& spec, const lifetime& lived) noexcept {
        // This kind refuses to remove keys.
        if (lived.removed_share > 0 || lived.churn_rounds > 0) return {};
        return {fill(spec, lived).rate, std::nullopt};
    }

    /// The grown chain: as many sub-filters as the keys of that workload fill.
    [[nodiscard]] static scalable_spec grown(scalable_spec spec, const lifetime& lived) noexcept {
        spec.filters = fill(spec, lived).filters;
        return spec;
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_scalable_filter<Store>& filter) noexcept {
        measurement seen;
        joined_links all;
        for (std::uint64_t i = 0; i < filter.spec().filters; ++i) {
            const scalable_sub& sub = filter.sub(i);
            const auto ones = static_cast<double>(sub.ones);
            const auto cells = static_cast<double>(sub.bits);
            const auto hashes = static_cast<double>(sub.hashes);
            const double items = items_for_occupied(ones, cells, hashes);
            seen.items += items / std::fmax(1 - all.any(), least_new_share);
            all.add(std::fmin(1.0, std::pow(ones / cells, hashes) + linked(filter.spec(), cells, hashes, items)));
        }
        seen.fpr = all.any();
        return seen;
    }

    /// The limit of its growth: the largest number of sub-filters, all full.
    [[nodiscard]] static double most_keys(const scalable_spec& spec) noexcept {
        double sum = 0;
        for (scalable_spec longer = spec.started(); longer.is_allowed(); ++longer.filters) {
            const std::uint64_t sub = longer.filters - 1;
            sum += full_link::of(longer.bits_of(sub), longer.hashes_of(sub), longer.threshold).items;
        }
        return sum;
    }

    template <WordStore Store>
    [[nodiscard]] static growth_statistics growth(const basic_scalable_filter<Store>& filter) noexcept {
        return {filter.spec().filters, filter.spec().filters - 1, filter.cells(), 0, most_keys(filter.spec())};
    }

private:
    /// Limits the number of inserted keys: a chain in which every key is a false positive would need infinitely many.
    static constexpr double least_new_share = 1e-6;

    /// The part of a sub-filter's FPR that comes from positions which are not independent.
    [[nodiscard]] static double linked(const scalable_spec& spec, double cells, double hashes, double items) noexcept {
        return linked_positions(spec.scheme(), cells, hashes, items,
                                -std::expm1(hashes * items * std::log1p(-1 / cells)));
    }

    struct filled_chain {
        double rate = 0;
        std::uint64_t filters = 1;
    };
    [[nodiscard]] static filled_chain fill(const scalable_spec& spec, const lifetime& lived) noexcept {
        joined_links all;
        std::uint64_t filters = 1;
        auto left = static_cast<double>(lived.items);
        for (scalable_spec longer = spec.started(); left > 0 && longer.is_allowed(); ++longer.filters) {
            filters = longer.filters;
            const std::uint64_t sub = longer.filters - 1;
            const full_link full = full_link::of(longer.bits_of(sub), longer.hashes_of(sub), longer.threshold);
            const auto cells = static_cast<double>(longer.bits_of(sub));
            const auto hashes = static_cast<double>(longer.hashes_of(sub));
            const double full_rate = std::pow(full.occupied / cells, hashes);
            // A key that is a false positive of an older link is not stored. Nor is a false positive of this link, but it would not have
            // changed a bit.
            const double looks_new = 1 - all.any();
            if (left * looks_new < full.items) {
                const double stored = left * looks_new;
                all.add(std::fmin(all_occupied(cells, hashes, stored), full_rate) +
                        linked(spec, cells, hashes, stored));
                left = 0;
            } else {
                all.add(std::fmin(1.0, full_rate + linked(spec, cells, hashes, full.items)));
                left -= full.items / std::fmax(looks_new, least_new_share);
            }
        }
        return {all.any(), filters};
    }
};

} // namespace everbloom
