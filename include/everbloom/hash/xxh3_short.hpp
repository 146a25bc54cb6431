// XXH3-128 of keys of 4 to 16 bytes, for batches: the same digests as hash/xxh3.hpp.
//
// What the seed contributes is computed once for a batch, and the code is short enough to be inlined into its loop: half of the instructions
// of the general function, which decides by the length and mixes the seed for every key.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/hash/xxh3_number.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace everbloom {

class xxh3_short {
public:
    static constexpr std::size_t least_bytes = 4;
    static constexpr std::size_t most_bytes = 16;

    explicit constexpr xxh3_short(std::uint64_t seed) noexcept
        : of_eight_(xxh3_number::whitening_of(seed)), // words 4 and 5, then 6 and 7 of XXH3's secret, xor
          of_low_((0x78e5c0cc4ee679cb ^ 0x2172ffcc7dd05a82) - seed),
          of_high_((0x8e2443f7744608b8 ^ 0x4c263a81e69035e0) + seed) {}

    /// Of least_bytes to most_bytes bytes.
    [[nodiscard, gnu::always_inline]] digest operator()(const char* key, std::size_t bytes) const noexcept {
        return bytes > 8 ? of_9_to_16(key, bytes) : of_4_to_8(key, bytes);
    }

private:
    template <class Word>
    [[nodiscard, gnu::always_inline]] static Word read(const char* from) noexcept {
        Word word;
        std::memcpy(&word, from, sizeof word);
        return word;
    }
    [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t swapped(std::uint64_t word) noexcept {
        return __builtin_bswap64(word);
    }
    [[nodiscard, gnu::always_inline]] static constexpr std::uint64_t avalanche(std::uint64_t word) noexcept {
        word = (word ^ word >> 37) * 0x165667919e3779f9;
        return word ^ word >> 32;
    }

    [[nodiscard, gnu::always_inline]] digest of_4_to_8(const char* key, std::size_t bytes) const noexcept {
        const std::uint64_t number = read<std::uint32_t>(key) | std::uint64_t{read<std::uint32_t>(key + bytes - 4)}
                                                                    << 32;
        return xxh3_number::of_bytes(number, bytes, of_eight_);
    }
    [[nodiscard, gnu::always_inline]] digest of_9_to_16(const char* key, std::size_t bytes) const noexcept {
        constexpr std::uint64_t first_prime = 0x9e3779b185ebca87;
        constexpr std::uint64_t second_prime = 0xc2b2ae3d27d4eb4f;
        constexpr std::uint64_t short_prime = 0x85ebca77;
        const auto first = read<std::uint64_t>(key);
        const auto last = read<std::uint64_t>(key + bytes - 8);
        wide_product mixed = multiply_wide(first ^ last ^ of_low_, first_prime);
        mixed.low += std::uint64_t{bytes - 1} << 54;
        const std::uint64_t flipped = last ^ of_high_;
        mixed.high += flipped + (flipped & 0xffffffff) * (short_prime - 1);
        mixed.low ^= swapped(mixed.high);
        const wide_product made = multiply_wide(mixed.low, second_prime);
        return {avalanche(made.low), avalanche(made.high + mixed.high * second_prime)};
    }

    std::uint64_t of_eight_;
    std::uint64_t of_low_;
    std::uint64_t of_high_;
};

} // namespace everbloom
