// Shared parameters of all chains of sub-filters, and the condition for a full sub-filter.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/spec.hpp>

#include <algorithm>

namespace everbloom {

// Shares, in millionths.
inline constexpr std::uint64_t least_share = 10'000;
inline constexpr std::uint64_t most_share = 990'000;

template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> initial_bits_field(std::uint64_t Spec::*value) noexcept {
    return {"initial_bits", value, 1, max_structure_bits,
            "size of the first sub-filter in cells (bits for scalable, counters otherwise)"};
}
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> threshold_field(std::uint64_t Spec::*value) noexcept {
    return {"threshold",
            value,
            least_share,
            most_share,
            "fraction of occupied cells at which a sub-filter counts as full",
            {},
            field_form::millionths};
}
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> most_filters_field(std::uint64_t Spec::*value, std::uint64_t most) noexcept {
    return {"most_filters", value, 1, most, "largest number of sub-filters; growth beyond it is refused"};
}
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> filters_field(std::uint64_t Spec::*value, std::uint64_t most) noexcept {
    return {"filters", value, 1, most, "current number of sub-filters", {}, field_form::whole, field_role::state};
}

/// The number of occupied cells from which on a sub-filter is full: the threshold's share of them, rounded up, at least one.
[[nodiscard]] constexpr std::uint64_t full_from(std::uint64_t cells, std::uint64_t threshold) noexcept {
    const std::uint64_t whole = cells / one_in_millionths * threshold;
    return std::max<std::uint64_t>(1, whole + ceil_divide(cells % one_in_millionths * threshold, one_in_millionths));
}

/// At most `most_filters` sub-filters, and no more bits than the largest structure.
[[nodiscard]] inline result<void> check_chain(std::uint64_t filters, std::uint64_t most_filters, std::uint64_t lines) {
    if (filters > most_filters) {
        return fail(failure_reason::bad_parameter,
                    "filters is " + std::to_string(filters) + "; most_filters allows " + std::to_string(most_filters));
    }
    if (lines > max_structure_bits / line_bits) {
        return fail(failure_reason::bad_parameter,
                    "the sub-filters would need more than 2^56 bits; use a smaller initial_bits");
    }
    return {};
}

} // namespace everbloom
