// The quaternary Bloom filter (QBF): cells 0, 1, 2 and x in two bits.
//
// Idea        A counting filter with the smallest counters that can still tell one item from two. A third item makes the cell
//             x, "many", permanently. An item can be removed as long as one of its k cells is not x; but where other items in its
//             cells leave them at 1, it still answers "maybe".
// Source      [Lim17] as described in [Kwon §II.B].
// Layout      M = bits / 2 cells, packed:   | 00 none | 01 one | 10 two | 11 x |
// Guarantees  No false negative as long as only members are removed. Refusals change nothing. Inserting a key again counts as
//             another item: three copies make all its cells x, and it cannot be removed any more.
// Cost        k cache lines per operation (absent keys: about two). Deletes more than dfp and ternary in the same bits, but has
//             the highest false positive rate of the three at low load.
// Deviation   Equal positions of one item are counted once.
#pragma once

#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/cells/saturating_counters.hpp>
#include <everbloom/filter/cells/two_bit_spec.hpp>

namespace everbloom {

struct quaternary_kind {
    using spec_type = two_bit_spec;
    static constexpr std::string_view name = "quaternary";
    static constexpr std::string_view summary = "deletes most members; two bits a cell that count to two";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};
    static constexpr bool counts = true;
    static constexpr std::uint64_t stuck = 3;

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {lines_for_cells(spec.cells(), 2)};
    }
    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 1>& sections) {
        return check_tail(sections[0], spec.cells() * 2, "cells");
    }
    template <class Word, class Body>
    static auto with_cells(const spec_type&, const std::array<Word*, 1>& words, Body body) {
        return body(saturating_counters(cell_view<Word, 2>(words[0], 2), stuck));
    }
};

template <class Store>
using basic_quaternary_filter = cell_filter<quaternary_kind, Store>;
using quaternary_filter = basic_quaternary_filter<heap_words>;

} // namespace everbloom
