// The sub-filters of a counting chain as views: equal arrays of saturating counters, contiguous in one store.
#pragma once

#include <everbloom/filter/cells/saturating_counters.hpp>
#include <everbloom/filter/chain/chain_query.hpp>
#include <everbloom/filter/chain/counting_chain_spec.hpp>

#include <bit>

namespace everbloom {

/// One sub-filter.
template <class View>
class counting_link {
public:
    counting_link(View view, std::uint64_t level, unsigned hashes) noexcept
        : cells_(view, view.largest()), level_(level), hashes_(hashes) {}

    [[nodiscard]] bool empty() const noexcept { return level_ == 0; }
    [[nodiscard]] unsigned hashes() const noexcept { return hashes_; }
    [[nodiscard]] bool holds(std::uint64_t at) const noexcept { return cells_.may_hold(at, 0); }
    void prefetch(std::uint64_t at) const noexcept { cells_.prefetch(at); }

private:
    saturating_counters<View> cells_;
    std::uint64_t level_;
    unsigned hashes_;
};

/// Every `step`-th sub-filter from `first` on.
template <class View, class Word>
struct counting_links {
    Word* words;
    const std::uint64_t* levels;
    std::uint64_t sub_words;
    probing how;
    unsigned counter_bits;
    std::uint64_t first;
    std::uint64_t step;
    std::uint64_t links;

    [[nodiscard]] std::uint64_t count() const noexcept { return links; }
    [[nodiscard]] counting_link<View> operator[](std::uint64_t index) const noexcept {
        const std::uint64_t sub = first + index * step;
        return {View(words + sub * sub_words, counter_bits), levels[sub], how.hashes};
    }
    /// All links have the same size, so a key has the same positions in all of them.
    template <class Walk>
    [[nodiscard]] std::uint64_t mark(Walk& walk) const noexcept {
        return walk.next(how.range);
    }
};

/// How many of the cells are not zero.
template <class View>
[[nodiscard]] std::uint64_t count_occupied(View view, std::uint64_t cells) noexcept {
    std::uint64_t occupied = 0;
    for (std::uint64_t i = 0; i < cells; ++i) occupied += view.get(i) != 0 ? 1 : 0;
    return occupied;
}

/// How many would not be zero if the two were added.
template <class View, class Other>
[[nodiscard]] std::uint64_t count_occupied_in_either(View one, Other other, std::uint64_t cells) noexcept {
    std::uint64_t occupied = 0;
    for (std::uint64_t i = 0; i < cells; ++i) occupied += (one.get(i) | other.get(i)) != 0 ? 1 : 0;
    return occupied;
}

} // namespace everbloom
