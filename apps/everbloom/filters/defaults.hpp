// defaults: the hash of a new filter.
#pragma once

#include <everbloom/hash/hash_key.hpp>

namespace everbloom::cli {

/// A keyed hash: untrusted input cannot be made to collide.
inline constexpr hash_id default_hash = hash_id::siphash;

} // namespace everbloom::cli
