// Outcomes of insert and erase: the exact answers to "did my insert work?" and "is it gone?".
//
// An unsuccessful operation leaves the filter unchanged, to the bit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace everbloom {

/// What an insertion did.
enum class insert_outcome : std::uint8_t {
    inserted,             // the key is present
    inserted_counted,     // it was present already; its count was incremented
    inserted_saturated,   // it is present, and a cell reached its largest value: that cell is saturated permanently
    inserted_grew,        // it is present, and the filter grew to take it
    inserted_unprotected, // it is present, and known negatives that conflict with it may be false positives again
    full_bucket,          // refused: all buckets of this key are full
    full_counter,         // refused: the count of this key is at its largest
    growth_refused,       // refused: the filter would have to grow and may not, or cannot
    over_capacity,        // refused: the capacity is reached, and more keys would raise the FPR above its target
    already_present,      // nothing was done: it was there already (insert_new)
    not_writable,         // refused: this filter is read-only, or was moved away
};

/// What a removal did.
enum class erase_outcome : std::uint8_t {
    removed,                // one insertion of the key is undone
    removed_still_positive, // undone as far as the cells allow; the key still answers "maybe"
    not_present,            // the cells prove that the key was never inserted, or was removed already
    not_deletable,          // the key may be present, but all of its cells are saturated
    ambiguous,              // more than one part answers "maybe", and removing from the wrong one would lose a key
    unsupported,            // this kind cannot remove
};

/// In the order of insert_outcome.
inline constexpr std::array<std::string_view, 11> insert_outcome_names{
    "inserted",     "inserted_counted", "inserted_saturated", "inserted_grew",   "inserted_unprotected", "full_bucket",
    "full_counter", "growth_refused",   "over_capacity",      "already_present", "not_writable"};

/// In the order of erase_outcome.
inline constexpr std::array<std::string_view, 6> erase_outcome_names{
    "removed", "removed_still_positive", "not_present", "not_deletable", "ambiguous", "unsupported"};

/// The name of an outcome, "inserted" or another.
[[nodiscard]] constexpr std::string_view name_of(insert_outcome outcome) noexcept {
    return insert_outcome_names[static_cast<std::size_t>(outcome)];
}

/// The name of an outcome, "removed" or another.
[[nodiscard]] constexpr std::string_view name_of(erase_outcome outcome) noexcept {
    return erase_outcome_names[static_cast<std::size_t>(outcome)];
}

/// Was the key added? False for a refusal, and for `already_present`.
[[nodiscard]] constexpr bool succeeded(insert_outcome outcome) noexcept {
    return outcome <= insert_outcome::inserted_unprotected;
}

/// Was an insertion undone?
[[nodiscard]] constexpr bool succeeded(erase_outcome outcome) noexcept {
    return outcome <= erase_outcome::removed_still_positive;
}

} // namespace everbloom
