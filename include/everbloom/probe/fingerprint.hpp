// fingerprint: a few bits of an item that have nothing to do with its positions.
//
// Positions start at the low half of the digest and step by the high half. A multiple of the high half, cut to its top bits, is as
// good as independent of where the item lies: two items in one cell have equal fingerprints with chance 2^-bits.
#pragma once

#include <everbloom/core/digest.hpp>

#include <cstdint>

namespace everbloom {

/// What the high half of a digest is multiplied by; the highest bits of the product are the fingerprint.
inline constexpr std::uint64_t fingerprint_factor = 0xd1342543de82ef95;

/// `bits` is 1 to 32.
[[nodiscard]] constexpr std::uint64_t fingerprint(const digest& item, unsigned bits) noexcept {
    return item.high * fingerprint_factor >> (64 - bits);
}

} // namespace everbloom
