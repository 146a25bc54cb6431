// Model of the deletable Bloom filter: regions of s bits with one collision flag. Derivation: docs/models/deletable.md.
//
// N items inserted, share d removed, L = kN/M; G = e^-L (1+L) is the chance that at most one item ever hit a bit.
//
//     fpr          = (1 - e^-L (1 + d L G^(s-1)))^k
//     deletability = 1 - (1 - e^-L G^(s-1))^k
//
// The original model uses G^s, the chance that a *random* region is clean. A member's own region is not random: it is known to
// hold the member's bit, and the bit must have no other item at all. That makes e^-L G^(s-1), which is smaller.
#pragma once

#include <everbloom/filter/cells/deletable.hpp>
#include <everbloom/model/bloom/double_hashing.hpp>
#include <everbloom/model/cells/churn.hpp>
#include <everbloom/model/cells/load_planning.hpp>
#include <everbloom/model/cells/saturating_cells.hpp>

namespace everbloom {

struct deletable_model {
    [[nodiscard]] static result<deletable_spec> plan(const workload& wanted, deletable_spec preset = {}) {
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.hashes = sized->hashes;
        preset.bits = ceil_divide(sized->cells, preset.region_bits) * (preset.region_bits + 1);
        const double share = set_share(preset, static_cast<double>(wanted.items));
        if (linked(preset, static_cast<double>(wanted.items), share) > most_linked_share * wanted.fpr) {
            preset.probe = static_cast<std::uint64_t>(probe_scheme::independent);
        }
        return preset;
    }

    [[nodiscard]] static deletable_spec with_best_hashes(deletable_spec spec, std::uint64_t items) noexcept {
        spec.hashes = best_hashes(std::max<std::uint64_t>(spec.cells(), 1), items);
        return spec;
    }

    [[nodiscard]] static prediction predict(const deletable_spec& spec, const lifetime& lived) {
        const auto hashes = static_cast<double>(spec.hashes);
        const auto items = static_cast<double>(lived.items);
        const double present = load_of(items, hashes, static_cast<double>(spec.cells()));
        const double load = present * (1 + lived.removed_share);
        const double deleted = lived.removed_share / (1 + lived.removed_share);
        const auto fpr = [&](double zero_bits) {
            // Set bits vary as those of a Bloom filter do; which of them are cleared again matters little.
            const double noise =
                std::exp(-load) * (1 - (1 + load) * std::exp(-load)) / static_cast<double>(spec.cells());
            const matching_cells set{1 - zero_bits, std::fmax(0.0, noise)};
            return std::fmin(1.0, set.all_of(hashes) + linked(spec, items, set.share));
        };
        if (lived.churn_rounds > 0) {
            const churned_regions after = churn_regions(
                {load, deleted, present, lived.churn_rounds, static_cast<unsigned>(spec.hashes)}, spec.region_bits);
            return {fpr(after.zero_bits), after.deletability};
        }
        const double others_clean = clean_others(load, spec.region_bits);
        return {fpr(std::exp(-load) * (1 + deleted * load * others_clean)),
                at_least_one(std::exp(-load) * others_clean, hashes)};
    }

    /// The value of [Rothenberg10], for comparison: the chance of a clean random region in place of the member's own.
    [[nodiscard]] static double original_deletability(const deletable_spec& spec, double items) noexcept {
        const auto hashes = static_cast<double>(spec.hashes);
        const double load = hashes * items / static_cast<double>(spec.cells());
        return at_least_one(clean_others(load, spec.region_bits + 1), hashes);
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_deletable_filter<Store>& filter) {
        const deletable_spec& spec = filter.spec();
        std::uint64_t ones = 0;
        std::uint64_t clean_ones = 0;
        filter.for_each_cell([&](std::uint64_t value) {
            ones += value != 0 ? 1 : 0;
            clean_ones += value == 1 ? 1 : 0;
        });
        const bit_view<const std::uint64_t> flags(filter.sections()[1].data());
        std::uint64_t flagged = 0;
        for (std::uint64_t region = 0; region < spec.regions(); ++region) flagged += flags.test(region) ? 1 : 0;

        const auto cells = static_cast<double>(spec.cells());
        const auto hashes = static_cast<double>(spec.hashes);
        const auto regions = static_cast<double>(spec.regions());
        const double clean_regions = std::fmax(regions - static_cast<double>(flagged), 1);
        const double clean_share = clean_regions / regions;
        // One item or none in every bit of a clean region: flags tell how many came, the bits of clean regions how many stay.
        const double set_share =
            std::fmin(static_cast<double>(clean_ones) / (clean_regions * static_cast<double>(spec.region_bits)),
                      1 - 1 / (cells + 1));
        const double load = flagged == 0 ? set_share / (1 - set_share) : load_for(1 - clean_share, [&](double l) {
            return 1 - clean_others(l, spec.region_bits + 1);
        });
        measurement seen;
        seen.items = set_share * (1 + load) * cells / hashes;
        const double share = static_cast<double>(ones) / cells;
        seen.fpr = std::fmin(1.0, std::pow(share, hashes) + linked(spec, seen.items, share));
        seen.absent_key_risk = seen.fpr - std::pow(static_cast<double>(ones - clean_ones) / cells, hashes);
        seen.deletable_share = at_least_one(std::exp(-load) * clean_others(load, spec.region_bits), hashes);
        return seen;
    }

private:
    [[nodiscard]] static double set_share(const deletable_spec& spec, double items) noexcept {
        return -std::expm1(-load_of(items, static_cast<double>(spec.hashes), static_cast<double>(spec.cells())));
    }
    /// The part of the FPR that comes from keys with nearly the same two hashes as a member.
    [[nodiscard]] static double linked(const deletable_spec& spec, double items, double share) noexcept {
        return linked_positions(spec.scheme(), static_cast<double>(spec.cells()), static_cast<double>(spec.hashes),
                                items, share);
    }
    // G^(s-1): all other bits of a region have been hit once at most.
    [[nodiscard]] static double clean_others(double load, std::uint64_t region_bits) noexcept {
        return std::exp(static_cast<double>(region_bits - 1) * (std::log1p(load) - load));
    }
};

} // namespace everbloom
