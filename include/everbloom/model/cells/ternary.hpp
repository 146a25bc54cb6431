// Model of the ternary filter: cells that count exactly up to 1, in 1.6 or 2 bits. Derivation: docs/models/saturating.md.
#pragma once

#include <everbloom/filter/cells/ternary.hpp>
#include <everbloom/model/cells/saturating_model.hpp>

namespace everbloom {

struct ternary_traits {
    using spec_type = ternary_spec;
    [[nodiscard]] static std::uint64_t exact_up_to(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static double lone_says_maybe(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t cells, const spec_type& spec) noexcept {
        return spec.is_packed() ? ceil_divide(cells, trits_per_byte) * 8 : 2 * cells;
    }
    [[nodiscard]] static std::uint64_t items_in(std::uint64_t cell, const spec_type&) noexcept { return cell; }
};

using ternary_model = saturating_model<ternary_traits>;

} // namespace everbloom
