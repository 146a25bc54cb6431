#include <everbloom/hash/checksum.hpp>
#include <everbloom/hash/xxh3.hpp>
#include <everbloom/hash/xxh3_digest.hpp>

namespace everbloom {

constinit const xxh3_number::factors xxh3_number::eight_bytes = factors_of(sizeof(std::uint64_t));

digest xxh3_digest(key_bytes key, std::uint64_t seed) noexcept {
    const XXH128_hash_t hashed = XXH3_128bits_withSeed(key.data(), key.bytes(), seed);
    return {hashed.low64, hashed.high64};
}

std::uint64_t checksum(const void* data, std::size_t bytes) noexcept { return XXH3_64bits(data, bytes); }

} // namespace everbloom
