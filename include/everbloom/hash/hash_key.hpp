// The identity of a hash function as stored in a file: the algorithm and its 128-bit key.
//
// Two filters can be compared or merged only if both agree. The key is a secret for SipHash; it is stored in the filter's
// file and never printed.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/hash/key_bytes.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace everbloom {

/// Written to files: a number is never given a second meaning.
enum class hash_id : std::uint32_t { siphash = 1, xxh3 = 2, murmur3 = 3, integer = 4, dcso = 5 };

/// All of them.
inline constexpr std::array known_hashes{hash_id::siphash, hash_id::xxh3, hash_id::murmur3, hash_id::integer,
                                         hash_id::dcso};

/// The name of a hash function, "siphash" or another.
[[nodiscard]] constexpr std::string_view name_of(hash_id id) noexcept {
    switch (id) {
    case hash_id::siphash: return "siphash";
    case hash_id::xxh3: return "xxh3";
    case hash_id::murmur3: return "murmur3";
    case hash_id::integer: return "integer";
    case hash_id::dcso: return "dcso";
    }
    return "unknown";
}

/// The hash function of that name, if there is one.
[[nodiscard]] constexpr std::optional<hash_id> hash_named(std::string_view name) noexcept {
    for (const hash_id id : known_hashes) {
        if (name_of(id) == name) return id;
    }
    return std::nullopt;
}

/// The key of a hash function: 128 bits, a secret.
struct hash_key {
    /// The key itself.
    std::array<std::uint8_t, 16> bytes{};

    /// The key of a reproducible run: the seed, little-endian, then zeros.
    [[nodiscard]] static constexpr hash_key from_seed(std::uint64_t seed) noexcept {
        hash_key key;
        for (unsigned i = 0; i < 8; ++i) key.bytes[i] = static_cast<std::uint8_t>(seed >> (8 * i));
        return key;
    }

    /// A secret key from the system's random numbers.
    [[nodiscard]] static result<hash_key> random();

    /// The first eight bytes as a number, for hashes with a seed instead of a key.
    [[nodiscard]] constexpr std::uint64_t seed() const noexcept {
        std::uint64_t seed = 0;
        for (unsigned i = 0; i < 8; ++i) seed |= std::uint64_t{bytes[i]} << (8 * i);
        return seed;
    }

    friend constexpr bool operator==(const hash_key&, const hash_key&) = default;
};

template <class H>
concept Hasher = requires(const H& hash, key_bytes key) {
    { hash(key) } noexcept -> std::same_as<digest>;
    { hash.id() } noexcept -> std::same_as<hash_id>;
    { hash.key() } noexcept -> std::same_as<hash_key>;
};

} // namespace everbloom
