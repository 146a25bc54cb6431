// Shared by the models of all chains: when a sub-filter is full, the size of the first, and their combined answer.
// Derivation: docs/models/chains.md.
#pragma once

#include <everbloom/filter/chain/chain_fields.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/model/sizing.hpp>

#include <span>

namespace everbloom {

/// A full sub-filter: from this number of occupied cells on, the next key goes elsewhere.
struct full_link {
    double occupied; // cells, on average
    double items;    // inserted until then

    /// The key that crosses the threshold occupies some cells more than needed: on average half of what it occupies beyond its first.
    [[nodiscard]] static full_link of(std::uint64_t cells, std::uint64_t hashes, std::uint64_t threshold) noexcept {
        const auto m = static_cast<double>(cells);
        const auto k = static_cast<double>(hashes);
        const auto line = static_cast<double>(full_from(cells, threshold));
        const double occupied = std::fmin(line + (1 - line / m) * (k - 1) / 2, m);
        return {occupied, items_for_occupied(occupied, m, k)};
    }
};

[[nodiscard]] inline double share_of(std::uint64_t millionths) noexcept {
    return static_cast<double>(millionths) / field_million;
}

/// The fewest hashes with which a full sub-filter keeps the FPR.
[[nodiscard]] inline std::uint64_t hashes_for_rate(double rate, std::uint64_t threshold) noexcept {
    const double k = std::ceil(std::log(rate) / std::log(share_of(threshold)) - 1e-9);
    return static_cast<std::uint64_t>(std::clamp(k, 1.0, static_cast<double>(max_hashes)));
}

/// A first sub-filter that takes all the items without growing, at its own target FPR; `hashes` 0: choose them so that it still keeps
/// that FPR when it is full.
[[nodiscard]] inline result<cell_sizing> size_first_link(const workload& wanted, double rate, std::uint64_t hashes,
                                                         std::uint64_t threshold) {
    if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
    if (hashes == 0) hashes = hashes_for_rate(rate, threshold);
    const auto k = static_cast<double>(hashes);
    const double share = std::fmin(share_of(threshold), std::pow(rate, 1 / k));
    const double load = -std::log1p(-share);
    // How many keys fill it varies. Four standard deviations more, and one in 30,000 filters opens a second sub-filter too early.
    const auto items = static_cast<double>(wanted.items);
    const double empty = 1 - share;
    const double spread = std::sqrt(k * items / load * empty * (1 - (1 + load) * empty)) / (k * empty);
    const double cells = std::ceil(k * (items + 4 * spread) / load);
    if (!(cells <= most_planned_cells)) return too_many_cells(wanted);
    return cell_sizing{static_cast<std::uint64_t>(cells), hashes};
}

/// The combined answer of independent links.
class joined_links {
public:
    void add(double rate, double count = 1) noexcept {
        if (rate >= 1) {
            certain_ += count;
        } else {
            log_silent_ += count * std::log1p(-rate);
        }
    }

    /// At least one says "maybe".
    [[nodiscard]] double any() const noexcept { return certain_ > 0 ? 1 : -std::expm1(log_silent_); }

    /// All but one of them, which has this FPR, say "surely not".
    [[nodiscard]] double others_silent(double rate) const noexcept {
        if (rate >= 1) return certain_ > 1 ? 0 : std::exp(log_silent_);
        return certain_ > 0 ? 0 : std::exp(log_silent_ - std::log1p(-rate));
    }

private:
    double certain_ = 0;    // links that always say "maybe"
    double log_silent_ = 0; // chance that all the others say "surely not"
};

} // namespace everbloom
