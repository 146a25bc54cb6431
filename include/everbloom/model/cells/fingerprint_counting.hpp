// Model of the fingerprint counting filter: saturating counters, and the cell of a lone item matches one absent key in 2^f.
// Derivation: docs/models/saturating.md.
#pragma once

#include <everbloom/filter/cells/fingerprint_counting.hpp>
#include <everbloom/model/cells/saturating_model.hpp>

namespace everbloom {

struct fingerprint_counting_traits {
    using spec_type = fingerprint_counting_spec;
    [[nodiscard]] static std::uint64_t exact_up_to(const spec_type& spec) noexcept {
        return low_mask(static_cast<unsigned>(spec.counter_bits)) - 1;
    }
    [[nodiscard]] static double lone_says_maybe(const spec_type& spec) noexcept {
        return std::exp2(-static_cast<double>(spec.fingerprint_bits));
    }
    [[nodiscard]] static std::uint64_t bits_for(std::uint64_t cells, const spec_type& spec) noexcept {
        return cells * spec.cell_bits();
    }
    [[nodiscard]] static std::uint64_t items_in(std::uint64_t cell, const spec_type&) noexcept { return cell; }
};

using fingerprint_counting_model = saturating_model<fingerprint_counting_traits>;

} // namespace everbloom
