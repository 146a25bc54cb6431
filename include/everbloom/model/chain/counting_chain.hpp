// Model of a chain of equal counting filters: `dynamic` and `partitioned`. Derivation: docs/models/chains.md.
#pragma once

#include <everbloom/filter/chain/counting_chain.hpp>
#include <everbloom/model/cells/counting.hpp>
#include <everbloom/model/chain/chain.hpp>
#include <everbloom/model/chain/chain_churn.hpp>
#include <everbloom/model/growth.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace everbloom {

/// A sub-filter as a counting filter.
[[nodiscard]] inline counting_spec sub_filter_spec(const counting_chain_spec& spec) noexcept {
    return {spec.sub_cells() * spec.counter_bits, spec.hashes, spec.counter_bits, spec.probe};
}

/// Links with the same history: all full ones, or the last one alone.
struct alike_links {
    double count = 0;
    double items = 0; // inserted into each
    saturating_cells cells{0, 0, 0};
    double hashes = 1;
    probe_scheme scheme = probe_scheme::independent;
    double width = 1;     // cells of a link
    bool is_full = false; // it was filled up to a number of cells, and not with a number of items

    [[nodiscard]] double rate() const noexcept { return std::fmin(1.0, occupied().all_of(hashes) + linked()); }
    /// The part of the rate that comes from positions which are not independent. It takes long and changes slowly.
    [[nodiscard]] double linked() const noexcept {
        return linked_positions(scheme, width, hashes, present(), occupied().share);
    }
    [[nodiscard]] double present() const noexcept { return items * (1 - cells.deleted_share); }
    [[nodiscard]] matching_cells occupied() const noexcept {
        matching_cells made = matching_cells::of(cells, 1, width, present());
        if (is_full) made.noise = 0;
        // Of each link's items a random number was removed.
        if (cells.deleted_share > 0 && present() > 0) {
            made = made.with_varying_items(cells.deleted_share / present());
        }
        return made;
    }
    [[nodiscard]] double not_all_stuck() const noexcept { return at_least_one(cells.free(), hashes); }
};

/// A chain after `items` insertions: full links, and perhaps one that is not.
class predicted_chain {
public:
    predicted_chain(const counting_chain_spec& spec, double items) noexcept {
        const full_link full = full_link::of(spec.sub_cells(), spec.hashes, spec.threshold);
        const auto most = static_cast<double>(spec.most_filters);
        const double inside = std::fmin(items, most * full.items); // the others are refused
        const double whole = std::floor(inside / full.items);
        links_[0] = link(spec, whole, full.items);
        links_[1] = link(spec, whole < most ? 1 : 0, inside - whole * full.items);
    }

    /// The FPR, and the chance that a member can be removed: no other link says "maybe", and not all of its counters are saturated.
    [[nodiscard]] prediction predicted() const noexcept {
        std::array<double, 2> rates{};
        joined_links all;
        for (std::size_t j = 0; j < links_.size(); ++j) {
            if (links_[j].count > 0) rates[j] = links_[j].rate();
            all.add(rates[j], links_[j].count);
        }
        double could = 0;
        double items = 0;
        for (std::size_t j = 0; j < links_.size(); ++j) {
            const alike_links& one = links_[j];
            could += one.count * one.items * one.not_all_stuck() * all.others_silent(rates[j]);
            items += one.count * one.items;
        }
        return {all.any(), items > 0 ? could / items : 1};
    }

    /// The share of items to be removed; those that cannot be removed stay.
    void remove(double share) noexcept {
        constexpr int steps = 64;
        constexpr int steps_with_the_same_links = 8;
        if (share <= 0) return;
        std::array<double, 2> linked{};
        for (int i = 0; i < steps; ++i) {
            std::array<double, 2> rates{};
            joined_links all;
            for (std::size_t j = 0; j < links_.size(); ++j) {
                if (i % steps_with_the_same_links == 0) linked[j] = links_[j].linked();
                rates[j] = std::fmin(1.0, links_[j].occupied().all_of(links_[j].hashes) + linked[j]);
                all.add(rates[j], links_[j].count);
            }
            for (std::size_t j = 0; j < links_.size(); ++j) {
                links_[j].cells.deleted_share +=
                    share / steps * links_[j].not_all_stuck() * all.others_silent(rates[j]);
            }
        }
    }

    [[nodiscard]] static alike_links link(const counting_chain_spec& spec, double count, double items) noexcept {
        const auto k = static_cast<double>(spec.hashes);
        const auto cells = static_cast<double>(spec.sub_cells());
        return {
            count,         items, {load_of(items, k, cells), 0, counting_traits::exact_up_to(sub_filter_spec(spec))}, k,
            spec.scheme(), cells, items >= full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items};
    }

private:
    std::array<alike_links, 2> links_;
};

template <class Spec>
struct counting_chain_model {
    /// Fills in what `preset` leaves open: the cells of a sub-filter, and the hashes where they are 0.
    [[nodiscard]] static result<Spec> plan(const workload& wanted, Spec preset = {}) {
        const auto sized = size_first_link(wanted, wanted.fpr, preset.hashes, preset.threshold);
        if (!sized) return fail(sized.error());
        preset.initial_bits = sized->cells;
        preset.hashes = sized->hashes;
        return preset;
    }

    /// As for one filter of that size; but no fewer than a chain needs at the usual FPR.
    [[nodiscard]] static Spec with_best_hashes(Spec spec, std::uint64_t items) noexcept {
        spec.hashes = std::max(best_hashes(spec.initial_bits, items), hashes_for_rate(workload{}.fpr, spec.threshold));
        return spec;
    }

    [[nodiscard]] static prediction predict(const Spec& spec, const lifetime& lived) {
        const auto items = static_cast<double>(lived.items);
        const double came = items * (1 + lived.removed_share);
        if (came <= full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items) {
            return counting_model::predict(sub_filter_spec(spec), lived);
        }
        if (lived.churn_rounds == 0) {
            predicted_chain chain(spec, came);
            chain.remove(lived.removed_share / (1 + lived.removed_share));
            return chain.predicted();
        }
        constexpr std::uint64_t bits_that_last = 4; // smaller counters wear out; there is no formula for both at once
        if (spec.counter_bits < bits_that_last) return {};
        const chain_population after = live(spec, lived);
        const chain_population::state now = after.state_of(facts_of(spec));
        return {after.rate(now), after.deletability(now)};
    }

    /// The grown chain: as many sub-filters as the keys of that workload fill.
    [[nodiscard]] static Spec grown(Spec spec, const lifetime& lived) {
        const double full = full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items;
        const double came = static_cast<double>(lived.items) * (1 + lived.removed_share);
        const double links = std::clamp(std::ceil(came / full), 1.0, static_cast<double>(spec.most_filters));
        spec.filters =
            links == 1 || lived.churn_rounds == 0 ? static_cast<std::uint64_t>(links) : live(spec, lived).links();
        return spec;
    }

    template <class Filter>
    [[nodiscard]] static measurement measure(const Filter& filter) {
        std::vector<measurement> links;
        joined_links all;
        for (std::uint64_t sub = 0; sub < filter.spec().filters; ++sub) {
            if (filter.occupied(sub) == 0) continue;
            links.push_back(counting_model::measure(one_link<Filter>{filter, sub}));
            all.add(links.back().fpr);
        }
        measurement seen;
        seen.fpr = all.any();
        double could = 0;
        double risk = 0;
        for (const measurement& one : links) {
            const double alone = all.others_silent(one.fpr);
            seen.items += one.items;
            could += one.items * one.deletable_share.value_or(1) * alone;
            risk += one.absent_key_risk.value_or(one.fpr) * alone;
        }
        seen.deletable_share = seen.items > 0 ? could / seen.items : 1;
        seen.absent_key_risk = risk;
        return seen;
    }

    /// The limit of its growth: the largest number of sub-filters, all full.
    [[nodiscard]] static double most_keys(const Spec& spec) noexcept {
        const std::uint64_t most_lines = max_structure_bits / line_bits;
        const std::uint64_t filters =
            std::min(spec.most_filters, std::max<std::uint64_t>(1, most_lines / spec.sub_lines()));
        return full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items * static_cast<double>(filters);
    }

    template <class Filter>
    [[nodiscard]] static growth_statistics growth(const Filter& filter) noexcept {
        const Spec& spec = filter.spec();
        return {spec.filters, spec.filters - 1, filter.cells() * spec.counter_bits, 0, most_keys(spec)};
    }

private:
    /// One sub-filter as the spec of a counting filter.
    template <class Filter>
    struct one_link {
        const Filter& chain;
        std::uint64_t sub;

        [[nodiscard]] counting_spec spec() const noexcept { return sub_filter_spec(chain.spec()); }
        [[nodiscard]] std::uint64_t cells() const noexcept { return chain.spec().sub_cells(); }
        template <class Visit>
        void for_each_cell(Visit visit) const {
            chain.for_each_cell_of(sub, visit);
        }
    };

    /// What a link is, by the number of its keys. Counters that last have no memory of those that were removed.
    [[nodiscard]] static auto facts_of(const Spec& spec) {
        const auto worked_out = [spec](double keys) {
            alike_links one = predicted_chain::link(spec, 1, keys);
            one.scheme = probe_scheme::independent; // it matters in sparse links only, and those are the last of many
            return chain_population::link_facts{one.rate(), one.not_all_stuck(), one.cells.load, 1 - one.cells.empty(),
                                                one.hashes};
        };
        // Nearly all links are full.
        const double full = full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items;
        return [worked_out, full, when_full = worked_out(full)](double keys) {
            return keys >= full * (1 - 1e-9) ? when_full : worked_out(keys);
        };
    }

    /// The links at the end of a workload, followed in steps.
    [[nodiscard]] static chain_population live(const Spec& spec, const lifetime& lived) {
        const auto facts = facts_of(spec);
        const auto items = static_cast<double>(lived.items);
        const double removed = items * lived.removed_share;
        chain_population now(full_link::of(spec.sub_cells(), spec.hashes, spec.threshold).items,
                             static_cast<double>(spec.most_filters));
        now.insert(items + removed);
        constexpr double finest = 64; // steps of a phase, or of a churn round
        for (int i = 0; i < finest && removed > 0; ++i) now.remove(removed / finest, now.state_of(facts));
        // Steps become longer with time, as changes become slower. A chain that answers "maybe" to nearly everything stays so.
        constexpr double hopeless = 0.999;
        for (double passed = 0; passed < lived.churn_rounds;) {
            const chain_population::state before = now.state_of(facts);
            if (now.rate(before) >= hopeless) break;
            const double step = std::fmin(lived.churn_rounds - passed, std::fmax(1 / finest, passed / 32));
            now.remove(items * step, before);
            now.insert(items * step);
            now.pass(step);
            passed += step;
        }
        return now;
    }
};

} // namespace everbloom
