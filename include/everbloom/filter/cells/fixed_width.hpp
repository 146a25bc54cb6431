// with_fixed_width: a view of packed cells whose width is a constant for the compiler where filters use it most.
#pragma once

#include <everbloom/bits/cell_view.hpp>

namespace everbloom {

/// Always inlined, so that a query of one key is one function.
template <class Word, class Body>
[[gnu::always_inline]] inline auto with_fixed_width(Word* words, unsigned cell_bits, Body body) {
#if !defined(EVERBLOOM_SMALL)
    if (cell_bits == 2) return body(cell_view<Word, 2>(words, 2));
    if (cell_bits == 4) return body(cell_view<Word, 4>(words, 4));
#endif
    return body(cell_view<Word>(words, cell_bits));
}

/// The cache lines that `cells` cells of that width need.
[[nodiscard]] constexpr std::uint64_t lines_for_cells(std::uint64_t cells, std::uint64_t cell_bits) noexcept {
    return lines_for_bits(cells * cell_bits);
}

} // namespace everbloom
