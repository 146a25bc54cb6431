// Model of the scalable filter: a chain of Bloom filters with rates that shrink. Derivation: docs/models/chains.md.
#pragma once

#include <everbloom/filter/scalable.hpp>
#include <everbloom/model/chain.hpp>
#include <everbloom/model/growth.hpp>

namespace everbloom {

/// A Bloom filter that stores only keys which do not look as if they were in already: how many had to come for so many to be stored?
struct choosy_link {
    double cells;
    double hashes;

    /// The integral of 1 / (1 - rate) over the stored keys, by Simpson's rule.
    [[nodiscard]] double came_for(double stored) const noexcept {
        constexpr int pieces = 32;
        double sum = 0;
        for (int i = 0; i <= pieces; ++i) {
            const double weight = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
            sum += weight / std::fmax(1 - rate(stored * i / pieces), 1e-6);
        }
        return sum * stored / (3 * pieces);
    }
    /// The other way round, by bisection: no more are stored than came.
    [[nodiscard]] double stored_of(double came) const noexcept {
        double low = 0;
        double high = came;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (came_for(middle) < came ? low : high) = middle;
        }
        return low;
    }

private:
    [[nodiscard]] double rate(double stored) const noexcept {
        if (cells <= 1) return stored > 0 ? 1 : 0;
        return std::pow(-std::expm1(hashes * stored * std::log1p(-1 / cells)), hashes);
    }
};

struct scalable_model {
    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0. The first sub-filter gets the share of the rate
    /// that leaves room for those of all later ones: P (1 - r), for P (1 - r) (1 + r + r^2 + ...) = P.
    [[nodiscard]] static result<scalable_spec> plan(const workload& wanted, scalable_spec preset = {}) {
        const double first = wanted.fpr * (1 - share_of(preset.tightening));
        const auto sized = size_first_link(wanted, first, preset.hashes, preset.threshold);
        if (!sized) return fail(sized.error());
        preset.initial_bits = sized->cells;
        preset.hashes = sized->hashes;
        return preset;
    }

    /// As for one filter of that size; but no fewer than a chain needs to be of use at the usual rate.
    [[nodiscard]] static scalable_spec with_best_hashes(scalable_spec spec, std::uint64_t items) noexcept {
        const double first = workload{}.fpr * (1 - share_of(spec.tightening));
        spec.hashes = std::max(best_hashes(spec.initial_bits, items), hashes_for_rate(first, spec.threshold));
        return spec;
    }

    [[nodiscard]] static prediction predict(const scalable_spec& spec, const life& lived) noexcept {
        // Nothing leaves; this kind refuses to remove at all.
        if (lived.removed_share > 0 || lived.turnovers > 0) return {};
        return {fill(spec, lived).rate, std::nullopt};
    }

    /// What becomes of it: as many sub-filters as the keys of such a life fill.
    [[nodiscard]] static scalable_spec grown(scalable_spec spec, const life& lived) noexcept {
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
            const choosy_link link{static_cast<double>(sub.bits), static_cast<double>(sub.hashes)};
            const double stored = items_for_occupied(ones, link.cells, link.hashes);
            seen.items += link.came_for(stored) / std::fmax(1 - all.any(), 1e-6);
            all.add(std::pow(ones / link.cells, link.hashes));
        }
        seen.fpr = all.any();
        return seen;
    }

    template <WordStore Store>
    [[nodiscard]] static growth_statistics growth(const basic_scalable_filter<Store>& filter) noexcept {
        return {filter.spec().filters, filter.spec().filters - 1, filter.cells(), 0};
    }

private:
    struct filled_chain {
        double rate = 0;
        std::uint64_t filters = 1;
    };
    [[nodiscard]] static filled_chain fill(const scalable_spec& spec, const life& lived) noexcept {
        joined_links all;
        std::uint64_t filters = 1;
        auto left = static_cast<double>(lived.items);
        for (scalable_spec longer = spec.started(); left > 0 && longer.check(); ++longer.filters) {
            filters = longer.filters;
            const std::uint64_t sub = longer.filters - 1;
            const full_link full = full_link::of(longer.bits_of(sub), longer.hashes_of(sub), longer.threshold);
            const choosy_link link{static_cast<double>(longer.bits_of(sub)),
                                   static_cast<double>(longer.hashes_of(sub))};
            const double full_rate = std::pow(full.occupied / link.cells, link.hashes);
            const double looks_new = 1 - all.any(); // a key that an older link holds by mistake is not stored
            const double came = link.came_for(full.items);
            if (left * looks_new < came) {
                const double stored = link.stored_of(left * looks_new);
                all.add(std::fmin(all_occupied(link.cells, link.hashes, stored), full_rate));
                left = 0;
            } else {
                all.add(full_rate);
                left -= came / std::fmax(looks_new, 1e-6);
            }
        }
        return {all.any(), filters};
    }
};

} // namespace everbloom
