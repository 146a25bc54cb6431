// XXH3-128: the fast hash for keys that no attacker controls. A secret seed does not make it a keyed hash.
#pragma once

#include <everbloom/hash/hash_key.hpp>
#include <everbloom/hash/xxh3_number.hpp>

#define XXH_INLINE_ALL // short keys are hashed in line; the library call would cost more than the hash
#include <xxhash.h>

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

    [[nodiscard]] hash_id id() const noexcept { return hash_id::xxh3; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

private:
    hash_key key_;
    std::uint64_t seed_ = 0;
    std::uint64_t number_whitening_ = xxh3_number::whitening_of(0);
};

static_assert(Hasher<xxh3_hasher>);

} // namespace everbloom
