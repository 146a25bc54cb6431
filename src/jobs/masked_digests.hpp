// masked_digests: digests of which only some bits are written, those that a filter looks at.
//
// For filters of which not every key can be numbered (key_numbers.hpp).
#pragma once

#include <everbloom/jobs/filter_patch.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace everbloom {

/// Which bits of digests are in a patch.
struct digest_mask {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = ~std::uint64_t{0};

    static constexpr std::size_t bytes = 2 * sizeof(std::uint64_t);

    /// Bit i stands for the byte i of a digest, that of patches of version 1.
    [[nodiscard]] static digest_mask of_bytes(unsigned which) noexcept {
        digest_mask made{0, 0};
        for (unsigned byte = 0; byte < bytes; ++byte) {
            if ((which >> byte & 1U) != 0) (byte < 8 ? made.low : made.high) |= std::uint64_t{0xff} << byte % 8 * 8;
        }
        return made;
    }

    [[nodiscard]] std::uint64_t bits() const noexcept {
        return static_cast<std::uint64_t>(std::popcount(low)) + static_cast<std::uint64_t>(std::popcount(high));
    }
    [[nodiscard]] digest of(const digest& one) const noexcept { return {one.low & low, one.high & high}; }
    [[nodiscard]] digest_mask without(const digest_mask& some) const noexcept {
        return {low & ~some.low, high & ~some.high};
    }
    /// `count` bits from this one on, of 128.
    [[nodiscard]] static digest_mask some_bits(unsigned first, unsigned count) noexcept {
        const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
        return first < 64 ? digest_mask{ones << first, 0} : digest_mask{0, ones << (first - 64)};
    }
};
inline constexpr unsigned digest_bits = 128;

/// The bits of the mask, digest after digest without a gap; the last byte is filled up with zeros.
void append_masked(std::vector<std::byte>& into, const patch_changes& changes, const digest_mask& mask);

/// The opposite. There are enough bytes.
[[nodiscard]] patch_changes read_masked(std::span<const std::byte> from, std::uint64_t removed, std::uint64_t added,
                                        const digest_mask& mask);

} // namespace everbloom
