// Model of the counting Bloom filter: b-bit counters are exact up to 2^b - 2. Derivation: docs/models/saturating.md.
#pragma once

#include <everbloom/filter/cells/counting.hpp>
#include <everbloom/model/cells/saturating_model.hpp>

namespace everbloom {

struct counting_traits {
    using spec_type = counting_spec;
    [[nodiscard]] static std::uint64_t exact_up_to(const spec_type& spec) noexcept {
        return low_mask(static_cast<unsigned>(spec.counter_bits)) - 1;
    }
    [[nodiscard]] static double lone_says_maybe(const spec_type&) noexcept { return 1; }
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t cells, const spec_type& spec) noexcept {
        return cells * spec.counter_bits;
    }
    [[nodiscard]] static std::uint64_t items_in(std::uint64_t cell, const spec_type&) noexcept { return cell; }
};

using counting_model = saturating_model<counting_traits>;

} // namespace everbloom
