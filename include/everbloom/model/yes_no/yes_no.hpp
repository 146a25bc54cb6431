// Model of the yes-no filter: the FPR of arbitrary absent keys, and no-filters with room for the known negatives.
// Derivation: docs/models/yes_no.md.
#pragma once

#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/poisson.hpp>
#include <everbloom/model/sizing.hpp>
#include <everbloom/model/yes_no/yes_no_filling.hpp>
#include <everbloom/model/yes_no/yes_no_fit.hpp>

#include <bit>
#include <vector>

namespace everbloom {

struct yes_no_model {
    static constexpr std::array<std::string_view, 5> chosen_by_plan{"yes_hashes", "no_bits", "no_hashes", "parts",
                                                                    "negatives"};

    /// A part with this number of members is quick to build and small enough for a cache.
    static constexpr std::uint64_t part_members = 4096;

    /// Where the number of known negatives is left open, there is room for as many as members.
    [[nodiscard]] static result<yes_no_spec>
    plan(const workload& wanted,
         yes_no_spec preset = {.yes_hashes = 0, .no_bits = 0, .no_hashes = 0, .parts = 0, .negatives = 0}) {
        if (preset.bits != 0) return fit(wanted, preset);
        const auto sized = size_cells(wanted, preset.yes_hashes);
        if (!sized) return fail(sized.error());
        preset.yes_hashes = sized->hashes;
        divide(preset, wanted.items);
        preset.yes_bits = ceil_divide(sized->cells, preset.parts);
        // Parts do not get equal shares of the members, and the fuller ones weigh more.
        constexpr int rounds = 16;
        for (int i = 0; i < rounds && preset.parts > 1 && *predict(preset, {wanted.items}).fpr > wanted.fpr; ++i) {
            preset.yes_bits += preset.yes_bits / 1000 + 1;
        }
        const double members = static_cast<double>(wanted.items) / static_cast<double>(preset.parts);
        const double false_positives =
            static_cast<double>(preset.negatives) / static_cast<double>(preset.parts) * wanted.fpr;
        return with_no_filters(preset, members, false_positives);
    }

    [[nodiscard]] static prediction predict(const yes_no_spec& spec, const lifetime& lived) {
        if (lived.removed_share > 0 || lived.churn_rounds > 0) return {}; // removal is not supported
        const double negatives = lived.negatives / static_cast<double>(spec.parts);
        const auto rate = [&](double members) {
            const double passed =
                all_occupied(static_cast<double>(spec.yes_bits), static_cast<double>(spec.yes_hashes), members);
            // The no-filters also veto some other absent keys.
            return passed * (1 - yes_no_filling(spec, members, passed * negatives).vetoed_share);
        };
        const double mean = static_cast<double>(lived.items) / static_cast<double>(spec.parts);
        if (spec.parts == 1 || mean == 0) return {rate(mean), std::nullopt};
        return {mean_over_poisson(mean, rate), std::nullopt};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_yes_no_filter<Store>& filter) {
        const yes_no_spec& spec = filter.spec();
        const auto bits = static_cast<double>(spec.yes_bits);
        const auto hashes = static_cast<double>(spec.yes_hashes);
        measurement seen;
        for (std::uint64_t part = 0; part < spec.parts; ++part) {
            double ones = 0;
            for (const std::uint64_t word : filter.yes_words(part)) ones += std::popcount(word);
            seen.fpr += std::pow(ones / bits, hashes) * (1 - vetoed_share(filter, part));
            seen.items += items_for_occupied(ones, bits, hashes);
        }
        seen.fpr /= static_cast<double>(spec.parts);
        return seen;
    }

    /// Share of all keys that the no-filters of a part veto, as if each of them did so independently.
    template <WordStore Store>
    [[nodiscard]] static double vetoed_share(const basic_yes_no_filter<Store>& filter, std::uint64_t part) {
        const yes_no_spec& spec = filter.spec();
        double passed = 1;
        for (std::uint64_t i = 0; i < spec.no_filters; ++i) {
            std::uint64_t ones = 0;
            for (std::uint64_t at = 0; at < spec.no_bits; ++at) ones += filter.no_bit(part, i, at) ? 1 : 0;
            passed *= 1 - std::pow(static_cast<double>(ones) / static_cast<double>(spec.no_bits),
                                   static_cast<double>(spec.no_hashes));
        }
        return 1 - passed;
    }

private:
    /// Fills in what is open of how many negatives there will be, and in how many parts.
    static void divide(yes_no_spec& preset, std::uint64_t items) noexcept {
        if (preset.negatives == 0) preset.negatives = items;
        if (preset.parts == 0) preset.parts = items <= 2 * part_members ? 1 : ceil_divide(items, part_members);
    }

    /// Fits into the given bits, for the fewest remaining known negatives, at any FPR of other absent keys.
    [[nodiscard]] static result<yes_no_spec> fit(const workload& wanted, yes_no_spec preset) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        divide(preset, wanted.items);
        const auto parts = static_cast<double>(preset.parts);
        const std::uint64_t part_bits = preset.bits / preset.parts;
        constexpr std::uint64_t least_bits = 16;
        if (part_bits < least_bits) {
            return fail(failure_reason::bad_parameter, "bits is " + std::to_string(preset.bits) + "; " +
                                                           std::to_string(preset.parts) +
                                                           " parts need at least 16 each");
        }
        preset = fit_yes_no(part_bits, static_cast<double>(wanted.items) / parts,
                            static_cast<double>(preset.negatives) / parts, preset);
        preset.bits = preset.structure_bits();
        return preset;
    }

    /// No-filters that reach an occupancy of `fullest`, with enough hash functions that they then cover no member.
    [[nodiscard]] static yes_no_spec with_no_filters(yes_no_spec spec, double members, double false_positives) {
        if (spec.no_filters == 0) {
            if (spec.no_bits == 0) spec.no_bits = 1;
            if (spec.no_hashes == 0) spec.no_hashes = 1;
            return spec;
        }
        constexpr double fullest = 0.3;
        constexpr double covered_members = 0.05; // expected, over all of a no-filter
        if (spec.no_hashes == 0) {
            const double enough = std::log(members / covered_members) / -std::log(fullest);
            spec.no_hashes = static_cast<std::uint64_t>(std::clamp(std::ceil(enough), 3.0, double{max_hashes}));
        }
        if (spec.no_bits == 0) {
            // Some parts have more false positives than others.
            const double most = false_positives + 3 * std::sqrt(false_positives) + 1;
            const double each = std::ceil(most / static_cast<double>(spec.no_filters));
            const double bits = each * static_cast<double>(spec.no_hashes) / -std::log1p(-fullest);
            // A false positive must not cover a member all by itself.
            constexpr double alone = 0.15;
            const double least_bits = std::fmax(32.0, std::ceil(static_cast<double>(spec.no_hashes) / alone));
            spec.no_bits = static_cast<std::uint64_t>(
                std::clamp(std::ceil(bits), least_bits, static_cast<double>(yes_no_spec::most_no_bits)));
        }
        return spec;
    }
};

} // namespace everbloom
