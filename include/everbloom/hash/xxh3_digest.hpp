// XXH3-128, compiled once. hash/xxh3.hpp has the same in line, for a hash that is fixed at compile time.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/hash/key_bytes.hpp>

#include <cstdint>

namespace everbloom {

[[nodiscard]] digest xxh3_digest(key_bytes key, std::uint64_t seed) noexcept;

} // namespace everbloom
