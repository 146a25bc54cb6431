// defaults: hash and size of a new filter.
#pragma once

#include <everbloom/hash/hash_key.hpp>

#include <cstdint>

namespace everbloom::cli {

/// A keyed hash: untrusted input cannot be made to collide.
inline constexpr hash_id default_hash = hash_id::siphash;

/// The smallest capacity of a filter sized from its first keys: more keys usually follow.
inline constexpr std::uint64_t least_default_items = 1000;

} // namespace everbloom::cli
