// Model of the collision filter: cells that count exactly up to 1. Derivation: docs/models/saturating.md.
#pragma once

#include <everbloom/filter/cells/collision.hpp>
#include <everbloom/model/cells/saturating_model.hpp>

namespace everbloom {

struct collision_traits {
    using spec_type = two_bit_spec;
    [[nodiscard]] static std::uint64_t exact_up_to(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static double lone_says_maybe(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t cells, const spec_type&) noexcept { return 2 * cells; }
    [[nodiscard]] static std::uint64_t items_in(std::uint64_t cell, const spec_type&) noexcept { return cell; }
};

using collision_model = saturating_model<collision_traits>;

} // namespace everbloom
