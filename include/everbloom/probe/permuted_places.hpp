// permuted_places: one fingerprint, one place in each of several subtables, and the way back.
//
// A fingerprint f has q bits. Subtable i looks at P_i(f) = a_i f mod 2^q with an odd a_i, which is a permutation of the
// fingerprints: its high bits choose a bucket, its low bits are the remainder that is stored there.
//
//      f           | ................ q bits ................ |
//      P_i(f)      | bucket in subtable i | remainder         |
//
// Because P_i can be undone, a remainder and the place where it lies give f back, and with it every other place where f may
// lie: items can be moved, and the table can change its size, without the keys. And since equal remainders in a key's buckets
// mean equal fingerprints, the remainder of one fingerprint is never mistaken for that of another [Bonomi06 §3.3].
//
// The first permutation is the identity. Nothing is lost: the places of f with multipliers a_0, a_1, ... are the places of
// a_0 f with multipliers 1, a_1 / a_0, ...
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/odd_constants.hpp>

#include <array>
#include <cstdint>

namespace everbloom {

inline constexpr unsigned max_subtables = 8;

struct bucket_place {
    std::uint64_t bucket;
    std::uint64_t remainder;
};

namespace detail {

// Odd numbers without a pattern: 2^64 / pi, 2^64 / e and so on, made odd. Any others would do as well.
inline constexpr std::array<std::uint64_t, max_subtables> multipliers{
    1,
    0x517cc1b727220a95, // 1 / pi
    0x5e2d58d8b3bcdf1b, // 1 / e
    golden_ratio_bits,
    root_of_two_bits,
    0xbb67ae8584caa73b, // square root of 3
    0xb17217f7d1cf79ab, // ln 2
    0x93c467e37db0c7a5, // Euler's constant
};

/// The number whose product with `odd` is 1 mod 2^64: each step of Newton's method doubles the right bits.
[[nodiscard]] constexpr std::uint64_t inverse_of(std::uint64_t odd) noexcept {
    std::uint64_t guess = odd; // right in 3 bits
    for (int step = 0; step < 5; ++step) guess *= 2 - odd * guess;
    return guess;
}

inline constexpr std::array<std::uint64_t, max_subtables> inverse_multipliers = [] {
    std::array<std::uint64_t, max_subtables> made{};
    for (unsigned i = 0; i < max_subtables; ++i) made[i] = inverse_of(multipliers[i]);
    return made;
}();

} // namespace detail

class permuted_places {
public:
    /// At most 64 bits together.
    constexpr permuted_places(unsigned bucket_bits, unsigned remainder_bits) noexcept
        : remainder_bits_(remainder_bits), fingerprint_mask_(low_mask(bucket_bits + remainder_bits)),
          remainder_mask_(low_mask(remainder_bits)) {}

    [[nodiscard]] constexpr std::uint64_t fingerprint(const digest& item) const noexcept {
        return item.low & fingerprint_mask_;
    }

    /// Bucket and remainder in one number.
    [[nodiscard]] constexpr std::uint64_t permuted(std::uint64_t fingerprint, unsigned subtable) const noexcept {
        return fingerprint * detail::multipliers[subtable] & fingerprint_mask_;
    }
    [[nodiscard]] constexpr bucket_place place(std::uint64_t fingerprint, unsigned subtable) const noexcept {
        const std::uint64_t both = permuted(fingerprint, subtable);
        return {both >> remainder_bits_, both & remainder_mask_};
    }

    [[nodiscard]] constexpr std::uint64_t fingerprint_at(const bucket_place& where, unsigned subtable) const noexcept {
        const std::uint64_t permuted = where.bucket << remainder_bits_ | where.remainder;
        return permuted * detail::inverse_multipliers[subtable] & fingerprint_mask_;
    }

private:
    unsigned remainder_bits_;
    std::uint64_t fingerprint_mask_;
    std::uint64_t remainder_mask_;
};

} // namespace everbloom
