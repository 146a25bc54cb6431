// Model of the elastic filter: that of a Bloom filter whose size follows from the items. Derivation: docs/models/elastic.md.
//
//     fpr = (1 - e^(-kn/m))^k     m: the smallest power of two, no less than the first size, that keeps the set bits within the
//                                 threshold; after removals it is halved as long as they are below a quarter of it
//
// While a resize is under way, both sizes count: elastic_growth.hpp.
#pragma once

#include <everbloom/filter/elastic/elastic.hpp>
#include <everbloom/model/elastic/elastic_growth.hpp>
#include <everbloom/model/elastic/elastic_load.hpp>
#include <everbloom/model/growth.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

#include <array>

namespace everbloom {

struct elastic_model {
    /// What `plan` chooses where it is not given (0 in the preset).
    static constexpr std::array<std::string_view, 2> chosen_by_plan{"hashes", "threshold"};
    /// How many of its sections are the fast part, which queries read.
    static constexpr std::size_t fast_sections = 2;

    /// The fewest bits that keep the target FPR with all items in and do not grow before, then the fewest hashes: each costs a
    /// stored hash per key.
    [[nodiscard]] static result<elastic_spec> plan(const workload& wanted, elastic_spec preset = open_preset()) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        const std::uint64_t least = preset.hashes == 0 ? 1 : preset.hashes;
        const std::uint64_t most = preset.hashes == 0 ? max_hashes : preset.hashes;
        elastic_spec tried = preset;
        for (std::uint64_t bits = elastic_spec::least_bits; bits <= preset.largest_bits(); bits *= 2) {
            if (static_cast<double>(bits) < static_cast<double>(wanted.items)) continue;
            for (std::uint64_t hashes = least; hashes <= most; ++hashes) {
                tried.initial_bits = bits;
                tried.hashes = hashes;
                tried.threshold = preset.threshold != 0 ? preset.threshold : threshold_for(wanted.fpr, hashes);
                if (keeps(tried, wanted) && has_pages_for(tried, bits)) return tried.started();
            }
        }
        return fail(failure_reason::bad_parameter, "no elastic filter of " + std::to_string(preset.largest_bits()) +
                                                       " bits or fewer keeps that rate with " +
                                                       std::to_string(wanted.items) +
                                                       " items; allow more most_bits or word_bits");
    }

    /// The size after `items` keys have come, from the size that the spec has now.
    [[nodiscard]] static std::uint64_t bits_after(const elastic_spec& spec, double items) noexcept {
        std::uint64_t bits = spec.target_bits();
        while (bits <= spec.largest_bits() / 2 && has_pages_for(spec, bits * 2) &&
               set_share(spec, bits, items) > share_allowed(spec)) {
            bits *= 2;
        }
        return bits;
    }

    /// The size it has, at rest, at the end of a workload.
    [[nodiscard]] static elastic_spec grown(const elastic_spec& spec, const lifetime& lived) noexcept {
        const auto items = static_cast<double>(lived.items);
        std::uint64_t bits = bits_after(spec, items * (1 + lived.removed_share));
        if (lived.removed_share > 0) {
            while (bits > spec.initial_bits && set_share(spec, bits, items) < share_allowed(spec) / 4) bits /= 2;
        }
        return spec.at_rest_with(bits, 0);
    }

    /// The mean over the moments at which a resize may have begun.
    [[nodiscard]] static prediction predict(const elastic_spec& spec, const lifetime& lived) {
        elastic_walk walk(spec, lived);
        constexpr int quantiles = 48;
        double sum = 0;
        for (int i = 0; i < quantiles; ++i) {
            sum += walk.end((i + 0.5) / quantiles).fpr(static_cast<double>(spec.hashes));
        }
        return {sum / quantiles, 1.0};
    }

    /// From the real bits on both sides of the frontier; the keys are counted exactly.
    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_elastic_filter<Store>& filter) noexcept {
        const auto hashes = static_cast<double>(filter.spec().hashes);
        measurement seen;
        seen.fpr = std::pow(filter.set_bit_rate(), hashes);
        seen.items = static_cast<double>(filter.spec().items);
        seen.deletable_share = 1;
        const auto stored = static_cast<double>(filter.parts().copies());
        const double chance = std::fmin(1.0, std::ldexp(stored, -static_cast<int>(filter.spec().word_bits)));
        seen.absent_key_risk = std::pow(chance, hashes);
        return seen;
    }

    /// Where its growth ends: when the largest size it may have, and has pages for, is as full as the threshold allows.
    [[nodiscard]] static double most_keys(const elastic_spec& spec) noexcept {
        std::uint64_t bits = spec.largest_bits();
        while (bits > spec.target_bits() && !has_pages_for(spec, bits)) bits /= 2;
        return std::log1p(-share_allowed(spec)) /
               (static_cast<double>(spec.hashes) * std::log1p(-1 / static_cast<double>(bits)));
    }

    template <WordStore Store>
    [[nodiscard]] static growth_statistics growth(const basic_elastic_filter<Store>& filter) noexcept {
        const auto sections = filter.sections();
        growth_statistics seen;
        seen.expansions = filter.expansions();
        seen.most_keys = most_keys(filter.spec());
        seen.fast_bits = filter.spec().bits + filter.spec().next_bits;
        for (std::size_t i = fast_sections; i < sections.size(); ++i) seen.slow_bits += sections[i].size() * word_bits;
        return seen;
    }

    /// Chance that a filter with this many items has a bucket tree that overflows somewhere, from the exact tail.
    [[nodiscard]] static double overflow_probability(const elastic_spec& spec, std::uint64_t items) {
        const auto bits = static_cast<double>(spec.target_bits());
        const double load = static_cast<double>(spec.hashes) * static_cast<double>(items) / bits;
        const double one = tree_overflow(load, spec.bucket_slots, spec.branches);
        return -std::expm1(std::ceil(bits / static_cast<double>(spec.branches)) * std::log1p(-std::fmin(one, 1.0)));
    }

    /// Expected bits of the slow part per key: k slots of w - log2(bins) bits, in the pages of this size.
    [[nodiscard]] static double slow_bits_per_key(const elastic_spec& spec, std::uint64_t items) noexcept {
        const hash_geometry pages(spec.target_pages(), static_cast<unsigned>(spec.word_bits));
        return static_cast<double>(pages.pages() * pages.page_words() * word_bits) / static_cast<double>(items);
    }

private:
    [[nodiscard]] static elastic_spec open_preset() noexcept {
        elastic_spec preset;
        preset.hashes = preset.threshold = 0;
        return preset;
    }
    [[nodiscard]] static double share_allowed(const elastic_spec& spec) noexcept {
        return static_cast<double>(spec.threshold) / field_million;
    }
    /// Stored hashes lie in pages, and there is a limit to their number.
    [[nodiscard]] static bool has_pages_for(const elastic_spec& spec, std::uint64_t bits) noexcept {
        constexpr auto most = static_cast<double>(hash_geometry::most_pages * hash_geometry::least_slots);
        return -std::log1p(-share_allowed(spec)) * static_cast<double>(bits) <= 0.85 * most;
    }
    [[nodiscard]] static double set_share(const elastic_spec& spec, std::uint64_t bits, double items) noexcept {
        return -std::expm1(static_cast<double>(spec.hashes) * items * std::log1p(-1 / static_cast<double>(bits)));
    }
    /// The share of set bits at which the target FPR is just reached: [Wu21 §4.3].
    [[nodiscard]] static std::uint64_t threshold_for(double fpr, std::uint64_t hashes) noexcept {
        const double share = std::pow(fpr, 1 / static_cast<double>(hashes)) * field_million;
        return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1'000, 990'000);
    }
    /// Whether all items go in at the target FPR and without growing, with a margin of six standard deviations.
    [[nodiscard]] static bool keeps(const elastic_spec& spec, const workload& wanted) noexcept {
        const auto bits = static_cast<double>(spec.initial_bits);
        const auto hashes = static_cast<double>(spec.hashes);
        const auto items = static_cast<double>(wanted.items);
        if (all_occupied(bits, hashes, items) > wanted.fpr) return false;
        const double share = set_share(spec, spec.initial_bits, items);
        const double spread = std::sqrt(bits * share * (1 - share));
        // In an array with few bits nothing but the size itself is sure.
        return std::fmin(share * bits + 6 * spread, hashes * items) <=
               static_cast<double>(spec.ones_allowed(spec.initial_bits));
    }
};

} // namespace everbloom
