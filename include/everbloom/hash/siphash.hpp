// SipHash-2-4 with 128 bits of output: the default wherever keys come from outside.
//
// Without the 128-bit key an attacker cannot construct colliding keys, and so cannot saturate a filter deliberately.
#pragma once

#include <everbloom/hash/hash_key.hpp>

#include <span>
#include <string_view>

namespace everbloom {

class siphash_hasher {
public:
    siphash_hasher() noexcept = default;
    explicit siphash_hasher(hash_key key) noexcept : key_(key) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept;

    /// digests[i] becomes the digest of keys[i]; both spans have the same length. Four at a time where the processor has AVX2.
    void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept;
    void operator()(std::span<const std::uint64_t> numbers, std::span<digest> digests) const noexcept;

    [[nodiscard]] hash_id id() const noexcept { return hash_id::siphash; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

private:
    hash_key key_;
};

static_assert(Hasher<siphash_hasher>);

} // namespace everbloom
