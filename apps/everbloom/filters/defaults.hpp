// What a new filter is like when nobody says otherwise.
#pragma once

#include <everbloom/hash/hash_key.hpp>

#include <cstdint>

namespace everbloom::cli {

/// A keyed hash: whoever sends keys cannot make them collide.
inline constexpr hash_id default_hash = hash_id::siphash;

/// A filter sized from its first keys is not made smaller than this: more keys usually follow.
inline constexpr std::uint64_t least_default_items = 1000;

} // namespace everbloom::cli
