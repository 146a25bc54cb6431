// Model of the elastic blocked filter: its FPR at any moment of its growth, and the density for a target FPR.
// Derivation: docs/models/elastic_blocked.md.
#pragma once

#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/model/bloom/blocked.hpp>
#include <everbloom/model/bloom/bloom.hpp>
#include <everbloom/model/bloom/line_rate.hpp>
#include <everbloom/model/fuse/fuse_rate.hpp>
#include <everbloom/model/growth.hpp>
#include <everbloom/model/poisson.hpp>
#include <everbloom/model/query_copy.hpp>

#include <bit>
#include <cmath>

namespace everbloom {

struct elastic_blocked_model {
    static constexpr std::array<std::string_view, 4> chosen_by_plan{"hashes", "line_keys", "steepness", "word_bits"};
    /// How many of its sections are the fast part, which queries read.
    static constexpr std::size_t fast_sections = 2;

    /// The density of a blocked filter with that FPR, blocks for the items, and stored hashes with room to grow 16 times, and to a
    /// billion keys however few were planned.
    [[nodiscard]] static result<elastic_blocked_spec>
    plan(const workload& wanted,
         elastic_blocked_spec preset = {.hashes = 0, .line_keys = 0, .steepness = 0, .word_bits = 0}) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        if (preset.line_keys == 0) {
            // A number of keys at which the density no longer depends on it.
            constexpr std::uint64_t many = 1'000'000;
            const auto dense = blocked_model::plan({many, wanted.fpr}, {.hashes = preset.hashes});
            if (!dense) return fail(dense.error());
            preset.hashes = dense->hashes;
            const double keys = static_cast<double>(many) / static_cast<double>(dense->lines());
            preset.line_keys = static_cast<std::uint64_t>(keys * field_million);
        } else if (preset.hashes == 0) {
            preset.hashes = kernel::lanes;
        }
        if (preset.steepness == 0) preset.steepness = static_cast<std::uint64_t>(steepness(preset) * field_million);
        if (preset.word_bits == 0) preset.word_bits = word_bits_for(wanted.items);
        const double blocks =
            std::ceil(static_cast<double>(wanted.items) / static_cast<double>(preset.line_keys) * field_million);
        if (blocks * line_bits > static_cast<double>(max_structure_bits) || wanted.items > preset.most_keys()) {
            return fail(failure_reason::bad_parameter,
                        std::to_string(wanted.items) + " items are more than an elastic_blocked filter can hold; ask "
                                                       "for fewer, or give more word_bits");
        }
        preset.initial_bits = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(blocks)) * line_bits;
        // One block more where rounding has left a key without room.
        if (preset.keys_for(preset.initial_bits) < wanted.items) preset.initial_bits += line_bits;
        return preset.started();
    }

    /// A Bloom filter of the stored hashes: any FPR that is higher than the chance of two equal hashes.
    template <class Filter>
    [[nodiscard]] static result<query_copy_geometry> query_copy(const Filter& filter, double target) {
        if (auto enough = check_stored_bits(filter.spec()); !enough) return fail(std::move(enough.error()));
        const std::uint64_t keys = std::max<std::uint64_t>(filter.keys(), 1);
        const double mistaken = std::ldexp(static_cast<double>(keys), -static_cast<int>(stored_scheme_bits));
        if (target <= 2 * mistaken) {
            return fail(failure_reason::bad_parameter, "the filter has too many keys for a copy with such a low FPR");
        }
        bloom_spec preset;
        preset.probe = static_cast<std::uint64_t>(probe_scheme::stored);
        // The usual plan may be a little above its target, because the number of hashes is rounded.
        for (double aim = target - mistaken;; aim *= 0.99) {
            const auto planned = bloom_model::plan({keys, aim}, preset);
            if (!planned) return fail(planned.error());
            if (bloom_model::predict(*planned, {.items = keys}).fpr.value_or(1) <= target) {
                return query_copy_geometry("bloom", *planned);
            }
        }
    }

    /// The geometry of a copy that is built at once.
    template <class Filter>
    [[nodiscard]] static result<query_copy_geometry> fuse_copy(const Filter& filter, double target) {
        if (auto enough = check_stored_bits(filter.spec()); !enough) return fail(std::move(enough.error()));
        return fuse_rate::copy_geometry(fuse_spec::copy_of_stored_hashes(), filter.keys(), target);
    }

    /// How far it has grown at the end of a workload. It was fullest before the removals, and it does not shrink by itself.
    [[nodiscard]] static elastic_blocked_spec grown(const elastic_blocked_spec& spec, const lifetime& lived) {
        const double most = most_keys_in(spec, lived);
        elastic_blocked_spec now = spec.emptied();
        elastic_blocked_spec growing = now;
        while (most > static_cast<double>(now.keys_for(now.bits)) && now.grown_bits() != now.bits) {
            elastic_blocked_spec larger = now;
            larger.next_bits = now.grown_bits();
            if (!larger.check()) break; // there are no pages for more
            growing = larger;
            now = larger.at_rest();
        }
        const double keys = present(spec, lived);
        if (growing.next_bits != 0) growing.moved = pages_moved(growing, most);
        if (growing.next_bits == 0 || growing.moved >= growing.pages_for(growing.bits)) {
            now.spares = overflow_pages_of(now, now.bits, keys, 1);
            return now;
        }
        const double moved = moved_share(growing);
        growing.spares = overflow_pages_of(growing, growing.bits, keys, 1 - moved);
        growing.next_spares = overflow_pages_of(growing, growing.next_bits, keys, moved);
        return growing;
    }

    [[nodiscard]] static prediction predict(const elastic_blocked_spec& spec, const lifetime& lived) {
        const line_occupancy& occupancy = line_occupancy::of(spec.hashes);
        const double keys = present(spec, lived);
        const auto rate = [&](std::uint64_t bits, double share) {
            const std::uint64_t lines = bits / line_bits;
            return occupancy.fpr(keys * share, static_cast<double>(lines));
        };
        const elastic_blocked_spec now = grown(spec, lived);
        if (now.next_bits == 0) return {rate(now.bits, 1), 1.0};
        // The frontier cuts a new block: of its hashes only those before the frontier are in it, and no others are looked for there.
        const double moved = moved_share(now);
        const auto blocks = static_cast<double>(now.next_blocks());
        const double whole = std::floor(moved * blocks);
        const double cut = moved * blocks - whole;
        return {(1 - moved) * rate(now.bits, 1) +
                    (whole * rate(now.next_bits, 1) + cut * rate(now.next_bits, cut)) / blocks,
                1.0};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_elastic_blocked_filter<Store>& filter) {
        double fpr = 0;
        filter.for_each_block([&](std::span<const std::uint64_t, line_words> block, double share) {
            fpr += share * line_rate(block, static_cast<unsigned>(filter.spec().hashes)).rate;
        });
        const auto keys = static_cast<double>(filter.keys());
        return {fpr, keys, 1.0, keys * std::exp2(-static_cast<double>(filter.spec().word_bits))};
    }

    /// Where its growth ends: by the bits of its hashes, by its own limit, or by the number of pages.
    [[nodiscard]] static double most_keys(const elastic_blocked_spec& spec) noexcept {
        const std::uint64_t largest = std::max({spec.bits, spec.next_bits, spec.most_bits / line_bits * line_bits});
        constexpr std::uint64_t by_pages = hash_geometry::most_pages * hash_geometry::least_slots / 100 * 88;
        return static_cast<double>(std::min({spec.keys_for(largest), spec.most_keys(), by_pages}));
    }

    template <WordStore Store>
    [[nodiscard]] static growth_statistics growth(const basic_elastic_blocked_filter<Store>& filter) noexcept {
        const auto sections = filter.sections();
        growth_statistics seen;
        seen.expansions = filter.expansions();
        seen.most_keys = most_keys(filter.spec());
        seen.sure_keys = static_cast<double>(filter.spec().sure_keys());
        for (std::size_t i = 0; i < sections.size(); ++i) {
            (i < fast_sections ? seen.fast_bits : seen.slow_bits) += sections[i].size() * word_bits;
        }
        return seen;
    }

private:
    /// A copy knows a key by 48 bits of its hash, whatever the source stores.
    [[nodiscard]] static result<void> check_stored_bits(const elastic_blocked_spec& spec) {
        if (spec.word_bits >= stored_scheme_bits) return {};
        return fail(failure_reason::unsupported, "it stores " + std::to_string(spec.word_bits) +
                                                     " bits of each hash (word_bits); a copy needs " +
                                                     std::to_string(stored_scheme_bits));
    }

    /// Overflow pages that a share of the pages for this many bits needs: the number of hashes in a page is Poisson, and some pages
    /// have more than fit.
    [[nodiscard]] static std::uint64_t overflow_pages_of(const elastic_blocked_spec& spec, std::uint64_t bits,
                                                         double keys, double share) {
        const std::uint64_t pages = spec.pages_for(bits);
        const auto slots = static_cast<double>(hash_geometry(pages, static_cast<unsigned>(spec.word_bits)).slots());
        const double per_page = mean_over_poisson(keys / static_cast<double>(pages), [&](double hashes) {
            return std::fmax(0.0, std::ceil(hashes / slots) - 1);
        });
        return static_cast<std::uint64_t>(std::lround(share * static_cast<double>(pages) * per_page));
    }
    /// How many keys it had at most; those beyond its limit were refused.
    [[nodiscard]] static double most_keys_in(const elastic_blocked_spec& spec, const lifetime& lived) noexcept {
        return std::fmin(std::round(static_cast<double>(lived.items) * (1 + lived.removed_share)), most_keys(spec));
    }
    [[nodiscard]] static double present(const elastic_blocked_spec& spec, const lifetime& lived) noexcept {
        const double removed = std::round(static_cast<double>(lived.items) * lived.removed_share);
        return std::fmax(0.0, most_keys_in(spec, lived) - removed);
    }
    /// As the filter moves them: what is due is looked up twice per page, and a key moves two at most.
    [[nodiscard]] static std::uint64_t pages_moved(const elastic_blocked_spec& growing, double keys) noexcept {
        const auto full = static_cast<double>(growing.keys_for(growing.bits));
        const auto next_full = static_cast<double>(growing.keys_for(growing.next_bits));
        const auto pages = static_cast<double>(growing.pages_for(growing.bits));
        const double step = std::fmax(1, std::floor((next_full - full) / (2 * pages)));
        const double looked = std::fmax(full + 1, std::floor(keys / step) * step);
        const double due = std::ceil(growing.pace().due_at(looked).share * pages);
        return static_cast<std::uint64_t>(std::fmin(due, 2 * std::fmax(0.0, keys - full)));
    }
    [[nodiscard]] static double moved_share(const elastic_blocked_spec& growing) noexcept {
        return static_cast<double>(growing.moved) / static_cast<double>(growing.pages_for(growing.bits));
    }
    /// The power of its density with which the FPR of a block goes: that of (1 - e^-x)^hashes, x = bits set per bit of the block.
    [[nodiscard]] static double steepness(const elastic_blocked_spec& spec) noexcept {
        const double set =
            static_cast<double>(spec.line_keys) / field_million * static_cast<double>(spec.hashes) / line_bits;
        return std::fmax(0.1, static_cast<double>(spec.hashes) * set / std::expm1(set));
    }
    /// So that removals are sure while it grows to four times the items, and it can grow to 16 times. A plan for few does not know how many will
    /// come: enough for a billion, which costs a filter that stays small a few bits per key. A plan for a million and more does know, and has
    /// no fewer than a query copy needs.
    [[nodiscard]] static std::uint64_t word_bits_for(std::uint64_t items) noexcept {
        constexpr std::uint64_t few = 1'000'000;
        const std::uint64_t least = items < few ? elastic_blocked_spec::usual_word_bits : stored_scheme_bits;
        const auto needed = static_cast<std::uint64_t>(std::bit_width(items)) + elastic_blocked_spec::margin_bits + 4;
        return std::clamp<std::uint64_t>(needed, least, elastic_blocked_spec::most_word_bits);
    }
};

} // namespace everbloom
