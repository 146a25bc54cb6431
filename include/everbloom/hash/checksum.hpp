// The checksum of files: XXH3-64 without a seed. It finds accidents; an attacker recomputes it.
#pragma once

#include <everbloom/hash/xxh3.hpp>

#include <cstdint>

namespace everbloom {

[[nodiscard]] inline std::uint64_t checksum(const void* data, std::size_t bytes) noexcept {
    return XXH3_64bits(data, bytes);
}

} // namespace everbloom
