// Model of the D-FP filter: cells that count exactly up to 1, and the cell of a lone item matches only half of the absent keys.
// Derivation: docs/models/saturating.md; without removals these are [Kwon Eq. 2, 3].
#pragma once

#include <everbloom/filter/cells/dfp.hpp>
#include <everbloom/model/cells/saturating_model.hpp>

namespace everbloom {

struct dfp_traits {
    using spec_type = two_bit_spec;
    [[nodiscard]] static std::uint64_t exact_up_to(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static double lone_says_maybe(const spec_type&) noexcept { return 0.5; }
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t cells, const spec_type&) noexcept { return 2 * cells; }
    [[nodiscard]] static std::uint64_t items_in(std::uint64_t cell, const spec_type&) noexcept {
        return cell == 0 ? 0 : (cell == 3 ? 2 : 1); // both fingerprints are one item
    }
};

using dfp_model = saturating_model<dfp_traits>;

} // namespace everbloom
