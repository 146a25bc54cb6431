// Model of the Bloom filter: FPR by load, items from set bits. Derivation: docs/models/bloom.md.
//
// Filters for `.bloom` files (probe dcso) are sized as the program `bloom` sizes them. Where a power of two of bits links the positions
// of a key, the formula for k positions does not hold: then nothing is predicted, and the FPR is estimated from a sample.
#pragma once

#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/model/bloom/double_hashing.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

namespace everbloom {

struct bloom_model {
    /// Fills in what `preset` leaves open: the bits, and the hashes where they are 0.
    [[nodiscard]] static result<bloom_spec> plan(const workload& wanted, bloom_spec preset = {}) {
        if (preset.scheme() == probe_scheme::dcso && preset.hashes == 0) return plan_as_dcso(wanted, preset);
        const auto sized = size_cells(wanted, preset.hashes);
        if (!sized) return fail(sized.error());
        preset.bits = sized->cells;
        preset.hashes = sized->hashes;
        // A handful of keys at a low FPR: double hashing would cost too much of it (double_hashing.hpp).
        const auto items = static_cast<double>(wanted.items);
        if (preset.scheme() == probe_scheme::double_hashing &&
            linked(preset, items, occupied_share(preset, items)) > most_linked_share * wanted.fpr) {
            preset.probe = static_cast<std::uint64_t>(probe_scheme::independent);
        }
        return preset.rounded_up();
    }

    /// Fills in the best number of hashes for the bits.
    [[nodiscard]] static bloom_spec with_best_hashes(bloom_spec spec, std::uint64_t items) noexcept {
        spec.hashes = best_hashes(spec.bits, items);
        return spec;
    }

    [[nodiscard]] static prediction predict(const bloom_spec& spec, const lifetime& lived) noexcept {
        // No prediction for workloads with removals: this kind refuses to remove keys.
        if (lived.removed_share > 0 || lived.churn_rounds > 0 || spec.has_linked_positions()) return {};
        const auto bits = static_cast<double>(spec.bits);
        const auto hashes = static_cast<double>(spec.hashes);
        const auto items = static_cast<double>(lived.items);
        const double linked_part = linked(spec, items, occupied_share(spec, items));
        return {std::fmin(1.0, all_occupied(bits, hashes, items) + linked_part), std::nullopt};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_bloom_filter<Store>& filter) noexcept {
        const auto ones = static_cast<double>(filter.count_ones());
        const auto bits = static_cast<double>(filter.spec().bits);
        const auto hashes = static_cast<double>(filter.spec().hashes);
        const double items = items_for_occupied(ones, bits, hashes);
        const double fpr =
            filter.spec().has_linked_positions()
                ? sampled_rate(filter)
                : std::fmin(1.0, std::pow(ones / bits, hashes) + linked(filter.spec(), items, ones / bits));
        return {fpr, items, std::nullopt};
    }

private:
    [[nodiscard]] static double occupied_share(const bloom_spec& spec, double items) noexcept {
        return -std::expm1(static_cast<double>(spec.hashes) * items * std::log1p(-1 / static_cast<double>(spec.bits)));
    }

    /// The part of the FPR that comes from positions which are not independent, or from equal hashes where only some bits are used.
    [[nodiscard]] static double linked(const bloom_spec& spec, double items, double occupied) noexcept {
        if (spec.scheme() != probe_scheme::double_hashing && spec.scheme() != probe_scheme::stored) return 0;
        const double shared =
            shared_positions(static_cast<double>(spec.bits), static_cast<double>(spec.hashes), items, occupied);
        if (spec.scheme() == probe_scheme::double_hashing) return shared;
        return shared + std::ldexp(items, -static_cast<int>(stored_scheme_bits));
    }

    /// m = floor(n |ln P| / (ln 2)^2), k = ceil(m/n ln 2), where our own rule rounds m up and k to the nearest.
    [[nodiscard]] static result<bloom_spec> plan_as_dcso(const workload& wanted, bloom_spec preset) {
        if (const auto possible = size_cells(wanted); !possible) return fail(possible.error());
        const auto items = static_cast<double>(wanted.items);
        const double bits = std::floor(-items * std::log(wanted.fpr) / std::pow(std::numbers::ln2, 2));
        preset.bits = static_cast<std::uint64_t>(std::max(bits, 1.0));
        preset.hashes = static_cast<std::uint64_t>(
            std::clamp(std::ceil(std::numbers::ln2 * bits / items), 1.0, static_cast<double>(max_hashes)));
        return preset.rounded_up();
    }

    /// Fraction of the values that determine a key's positions for which the filter answers "maybe".
    template <WordStore Store>
    [[nodiscard]] static double sampled_rate(const basic_bloom_filter<Store>& filter) noexcept {
        constexpr std::uint64_t samples = 1 << 16;
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < samples; ++i)
            found += filter.may_contain({0, mix(i * golden_ratio_bits)}) ? 1 : 0;
        return static_cast<double>(found) / static_cast<double>(samples);
    }
};

} // namespace everbloom
