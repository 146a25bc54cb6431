// XXH3-128: the fast hash for keys that no attacker controls. A secret seed does not make it a keyed hash.
#pragma once

#include <everbloom/hash/hash_key.hpp>
#include <everbloom/hash/xxh3_number.hpp>
#include <everbloom/hash/xxh3_short.hpp>

#define XXH_INLINE_ALL // short keys are hashed in line; the library call would cost more than the hash
#include <xxhash.h>

#include <span>
#include <string_view>

namespace everbloom {

class xxh3_hasher {
public:
    xxh3_hasher() noexcept = default;
    explicit xxh3_hasher(hash_key key) noexcept
        : key_(key), seed_(key.seed()), number_whitening_(xxh3_number::whitening_of(seed_)) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept {
        const XXH128_hash_t hashed = XXH3_128bits_withSeed(key.data(), key.bytes(), seed_);
        return {hashed.low64, hashed.high64};
    }

    [[nodiscard]] digest operator()(std::uint64_t number) const noexcept {
        return xxh3_number::of(number, number_whitening_);
    }

#if !defined(EVERBLOOM_SMALL) // there, key by key
    /// digests[i] becomes the digest of keys[i]; both spans have the same length.
    void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept {
        const xxh3_short short_hash(seed_);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t bytes = keys[i].size();
            const bool is_short = bytes - xxh3_short::least_bytes <= xxh3_short::most_bytes - xxh3_short::least_bytes;
            digests[i] = is_short ? short_hash(keys[i].data(), bytes) : (*this)(key_bytes(keys[i]));
        }
    }
#endif

    [[nodiscard]] hash_id id() const noexcept { return hash_id::xxh3; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

private:
    hash_key key_;
    std::uint64_t seed_ = 0;
    std::uint64_t number_whitening_ = xxh3_number::whitening_of(0);
};

static_assert(Hasher<xxh3_hasher>);

} // namespace everbloom
