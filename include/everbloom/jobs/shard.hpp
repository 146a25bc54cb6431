// shard: the part of a spread filter that a key belongs to.
//
// A set that is too large for one machine is spread over several filters, and every client must find the same one for a key without
// asking. The rule is public and uses no secret, so that it can be followed in any language: the number of the shard is XXH3 (64 bits, seed
// 0) of the bytes of the key, modulo the number of shards. Filters hash their keys with a function of their own (SipHash with a secret
// key), so what the keys of a shard have in common does not show in its filter.
#pragma once

#include <everbloom/hash/checksum.hpp>

#include <cstdint>
#include <string_view>

namespace everbloom {

/// From 0 to shards - 1; `shards` is at least 1.
[[nodiscard]] inline std::uint32_t shard_of(std::string_view key, std::uint32_t shards) noexcept {
    return static_cast<std::uint32_t>(checksum(key.data(), key.size()) % shards);
}

} // namespace everbloom
