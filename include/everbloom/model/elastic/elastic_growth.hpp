// Sizes of an elastic filter in the course of its operations, resizes under way included. Derivation: docs/models/elastic.md.
//
// A doubling begins when an insertion sets more bits than the threshold allows, or overflows a bucket tree; the number of keys at which
// that happens is random. From then on every operation moves one page, or more where the set bits would exceed the threshold, so a filter
// that is observed at a random moment is often in the middle of one: a share of its hashes lies on the side of the new size. The walk
// follows the operations by whole phases, for one quantile of that random number; a prediction is the mean over the quantiles.
#pragma once

#include <everbloom/filter/elastic/elastic_spec.hpp>
#include <everbloom/model/elastic/elastic_load.hpp>
#include <everbloom/model/workload.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace everbloom {

/// The set bits of a Bloom filter with `bits` bits after k * items throws.
struct set_bits {
    double mean;  // share
    double noise; // variance of the share

    [[nodiscard]] static set_bits after(double bits, double throws) noexcept {
        const double empty = std::exp(throws * std::log1p(-1 / bits));
        const double load = throws / bits;
        return {1 - empty, std::fmax(0.0, empty * (1 - (1 + load) * empty)) / bits};
    }
};

/// A filter that cannot grow refuses keys that set more bits than the threshold allows. Those that set none are still taken: they crowd on
/// the bits that are set.
struct crowd {
    double before = 0; // keys at the limit
    double extra = 0;  // taken beyond it

    /// The share of set bits when `items` of all of them are left.
    [[nodiscard]] double set_share(double bits, double hashes, double items) const noexcept {
        const double kept = std::fmin(1.0, items / (before + extra));
        const double load = hashes * before / bits;
        const double empty = std::exp(-load);
        const double crowded = hashes * extra / (bits * (1 - empty));
        return 1 - empty - (std::exp(-load * kept) - empty) * std::exp(-crowded * kept);
    }
};

/// A filter at rest (next_bits 0), or in the middle of a resize.
struct elastic_state {
    std::uint64_t bits = 0;
    std::uint64_t next_bits = 0;
    double moved = 0; // share of the hashes on the side of next_bits
    double items = 0;
    crowd over_limit = {};

    /// Chance that an absent key is a false positive; E[X^k] for the share X of set bits, to second order in its spread.
    [[nodiscard]] double fpr(double hashes) const noexcept {
        set_bits old_side = set_bits::after(static_cast<double>(bits), hashes * items);
        if (over_limit.extra > 0 && next_bits == 0) {
            old_side.mean = over_limit.set_share(static_cast<double>(bits), hashes, items);
        }
        set_bits both = old_side;
        if (next_bits != 0) {
            const set_bits new_side = set_bits::after(static_cast<double>(next_bits), hashes * items);
            both = {(1 - moved) * old_side.mean + moved * new_side.mean,
                    (1 - moved) * old_side.noise + moved * new_side.noise};
        }
        if (!(both.mean > 0)) return 0;
        const double spread = hashes * (hashes - 1) / 2 * both.noise / (both.mean * both.mean);
        return std::fmin(1.0, std::pow(both.mean, hashes) * (1 + spread));
    }
};

class elastic_walk {
public:
    elastic_walk(const elastic_spec& spec, const lifetime& lived)
        : spec_(spec), lived_(lived), hashes_(static_cast<double>(spec.hashes)) {}

    /// The filter at the end of the operations, if its growth begins at this quantile, between 0 and 1.
    [[nodiscard]] elastic_state end(double quantile) {
        elastic_state now{spec_.target_bits(), 0, 0, 0, {}};
        const auto present = static_cast<double>(lived_.items);
        const double removed = std::round(present * lived_.removed_share);
        fill(now, present + removed, quantile);
        const double leaving = std::fmin(removed, now.items);
        double operations = leaving;
        shrink(now, operations, -1);
        now.items = std::fmax(0.0, now.items - operations); // those that were left when there was nothing to do
        // A churn step removes a key and inserts one: two pages.
        operations = 2 * lived_.churn_rounds * present;
        if (operations > 0) shrink(now, operations, 0);
        return now;
    }

private:
    /// Insertions up to this number of keys. A filter at its largest size refuses those that would set too many bits.
    void fill(elastic_state& now, double keys, double quantile) {
        while (true) {
            const bool is_largest = now.bits > spec_.largest_bits() / 2;
            const double begin = growth_begins(now.bits, quantile, is_largest);
            now.items = keys;
            if (begin >= keys) return;
            if (is_largest) {
                now.over_limit = {begin, (keys - begin) * std::pow(allowed(), hashes_)};
                now.items = begin + now.over_limit.extra;
                return;
            }
            const double pages = pages_of(now.bits);
            elastic_state growing{now.bits, 2 * now.bits, 0, keys, {}};
            growing.moved = std::fmax((std::floor(keys - begin) + 1) / pages, share_needed(growing));
            // Churn that makes it grow has also moved what there is.
            if (growing.moved < 1 && lived_.churn_rounds * keys < pages) {
                now = growing;
                return;
            }
            now.bits *= 2;
        }
    }

    /// The share that must have moved so that the set bits are within the threshold.
    [[nodiscard]] double share_needed(const elastic_state& growing) const noexcept {
        const double old_side = set_bits::after(static_cast<double>(growing.bits), hashes_ * growing.items).mean;
        const double new_side = set_bits::after(static_cast<double>(growing.next_bits), hashes_ * growing.items).mean;
        return old_side > allowed() ? (old_side - allowed()) / (old_side - new_side) : 0;
    }

    /// Uses up `operations`, each of which moves a page of a resize, or checks four pages where the bits are below a quarter of the
    /// threshold; the number of keys changes by `step` with each. What is left over is what has nothing to do.
    void shrink(elastic_state& now, double& operations, double step) const {
        const auto spend = [&](double wanted) {
            const double spent = std::fmin(wanted, operations);
            operations -= spent;
            now.items += step * spent;
            return spent;
        };
        while (operations > 0) {
            if (now.next_bits != 0) {
                const double pages = pages_of(now.bits);
                now.moved += spend(std::ceil((1 - now.moved) * pages - 1e-9)) / pages;
                if (now.moved < 1 - 1e-9) return;
                now = {now.next_bits, 0, 0, now.items, {}};
                continue;
            }
            if (now.bits <= spec_.initial_bits) return;
            const double few = keys_for_share(now.bits, allowed() / 4);
            if (now.items > few) {
                if (step == 0 || now.items + step * operations >= few) return;
                spend(now.items - few);
            }
            constexpr double checked_at_once = 4;
            const double checks = std::ceil(pages_of(now.bits) / checked_at_once);
            if (spend(checks) < checks || operations <= 0) return;
            now.next_bits = now.bits / 2;
        }
    }

    /// The number of keys at which a doubling begins. Churn shows the filter about one more independent state per round.
    /// A filter at its largest size refuses single keys that overflow a tree, and takes others.
    [[nodiscard]] double growth_begins(std::uint64_t bits, double quantile, bool is_largest) {
        double low = 0;
        double high = keys_for_share(bits, std::fmin(allowed() + 0.5 * (1 - allowed()), 0.999)) + 2;
        for (int i = 0; i < 60 && high - low > 0.25; ++i) {
            const double middle = (low + high) / 2;
            (has_begun(bits, middle, is_largest) < quantile ? low : high) = middle;
        }
        return high;
    }
    [[nodiscard]] double has_begun(std::uint64_t bits, double items, bool is_largest) {
        const set_bits share = set_bits::after(static_cast<double>(bits), hashes_ * items);
        // More than the threshold, by a whole bit.
        const double excess =
            share.mean - (static_cast<double>(spec_.ones_allowed(bits)) + 0.5) / static_cast<double>(bits);
        const double below = 0.5 * std::erfc(excess / std::sqrt(2 * std::fmax(share.noise, 1e-30)));
        const double states = 1 + lived_.churn_rounds;
        const double by_trees = is_largest ? 0 : states * overflowing_trees(bits, items);
        return 1 - std::pow(below, states) * std::exp(-by_trees);
    }
    [[nodiscard]] double overflowing_trees(std::uint64_t bits, double items) {
        const double load = hashes_ * items / static_cast<double>(bits);
        const double trees = static_cast<double>(bits) / static_cast<double>(spec_.branches);
        // Interpolated between loads, because a tree of many buckets takes a while.
        constexpr double steps = 64; // per factor of 2
        if (!(load > 0)) return 0;
        const double place = std::log2(load) * steps;
        const double from = log_overflow(std::floor(place) / steps);
        const double to = log_overflow(std::floor(place + 1) / steps);
        return trees * std::exp(from + (place - std::floor(place)) * (to - from));
    }
    [[nodiscard]] double log_overflow(double log_load) {
        const auto known = overflow_.find(log_load);
        if (known != overflow_.end()) return known->second;
        const double chance = tree_overflow(std::exp2(log_load), spec_.bucket_slots, spec_.branches);
        return overflow_[log_load] = std::log(std::fmax(chance, 1e-300));
    }

    [[nodiscard]] double keys_for_share(std::uint64_t bits, double share) const noexcept {
        return std::log1p(-share) / (hashes_ * std::log1p(-1 / static_cast<double>(bits)));
    }
    [[nodiscard]] double allowed() const noexcept { return static_cast<double>(spec_.threshold) / field_million; }
    [[nodiscard]] double pages_of(std::uint64_t bits) const noexcept {
        return static_cast<double>(spec_.pages_for(bits, 0));
    }

    const elastic_spec spec_;
    const lifetime lived_;
    double hashes_;
    std::map<double, double> overflow_; // by the logarithm of the load
};

} // namespace everbloom
