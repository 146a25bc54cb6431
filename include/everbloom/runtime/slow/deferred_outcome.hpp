// deferred_outcome: what a removal did whose verdict falls later.
#pragma once

#include <everbloom/runtime/outcome_tally.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace everbloom {

/// What `erase_later` did.
enum class deferred_outcome : std::uint8_t {
    accepted,    // removed at the next merge, if it is there
    not_present, // surely not there: nothing was done
    refused,     // not accepted: no memory, a failing disk, or read-only
};

/// In the order of deferred_outcome.
inline constexpr std::array<std::string_view, 3> deferred_outcome_names{"accepted", "not_present", "refused"};

/// The name of an outcome, "accepted" or another.
[[nodiscard]] constexpr std::string_view name_of(deferred_outcome outcome) noexcept {
    return deferred_outcome_names[static_cast<std::size_t>(outcome)];
}

[[nodiscard]] constexpr bool succeeded(deferred_outcome outcome) noexcept {
    return outcome == deferred_outcome::accepted;
}

using deferred_tally = outcome_tally<deferred_outcome, deferred_outcome_names.size()>;

} // namespace everbloom
