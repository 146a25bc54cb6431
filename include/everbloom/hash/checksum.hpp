// The checksum of files: XXH3-64 without a seed. It finds accidents; an attacker recomputes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom {

[[nodiscard]] std::uint64_t checksum(const void* data, std::size_t bytes) noexcept;

} // namespace everbloom
