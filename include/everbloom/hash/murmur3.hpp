// MurmurHash3 x64 128: what the papers used; offered for comparison with them.
#pragma once

#include <everbloom/hash/hash_key.hpp>

namespace everbloom {

class murmur3_hasher {
public:
    murmur3_hasher() noexcept = default;
    /// Murmur's seed has 32 bits: the first four bytes of the key.
    explicit murmur3_hasher(hash_key key) noexcept : key_(key), seed_(static_cast<std::uint32_t>(key.seed())) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept;

    [[nodiscard]] hash_id id() const noexcept { return hash_id::murmur3; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

private:
    hash_key key_;
    std::uint32_t seed_ = 0;
};

static_assert(Hasher<murmur3_hasher>);

} // namespace everbloom
