// Model of the Bloom filter: rate over load, items from ones. Derivation: docs/models/bloom.md.
#pragma once

#include <everbloom/filter/bloom.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

namespace everbloom {

struct bloom_model {
    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0.
    [[nodiscard]] static result<bloom_spec> plan(const workload& wanted, bloom_spec preset = {}) {
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.bits = sized->cells;
        preset.hashes = sized->hashes;
        return preset;
    }

    /// Fills in the hashes that suit the bits.
    [[nodiscard]] static bloom_spec with_best_hashes(bloom_spec spec, std::uint64_t items) noexcept {
        spec.hashes = best_hashes(spec.bits, items);
        return spec;
    }

    [[nodiscard]] static prediction predict(const bloom_spec& spec, const life& lived) noexcept {
        // Nothing leaves: what was inserted and "removed" elsewhere still fills bits, but this kind refuses to remove at all.
        if (lived.removed_share > 0 || lived.turnovers > 0) return {};
        return {all_occupied(static_cast<double>(spec.bits), static_cast<double>(spec.hashes),
                             static_cast<double>(lived.items)),
                std::nullopt};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_bloom_filter<Store>& filter) noexcept {
        const auto ones = static_cast<double>(filter.count_ones());
        const auto bits = static_cast<double>(filter.spec().bits);
        const auto hashes = static_cast<double>(filter.spec().hashes);
        return {std::pow(ones / bits, hashes), items_for_occupied(ones, bits, hashes), std::nullopt};
    }
};

} // namespace everbloom
