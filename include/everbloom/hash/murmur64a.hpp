// MurmurHash64A [Appleby]: the hash of RedisBloom's filters, for reading their dumps. It has no key; new filters do not use it.
#pragma once

#include <cstdint>
#include <string_view>

namespace everbloom {

[[nodiscard]] std::uint64_t murmur64a(std::string_view key, std::uint64_t seed) noexcept;

} // namespace everbloom
