// MurmurHash3 (Appleby, 2011), the variant for 64-bit machines with 128 bits: two lanes of 64 bits take alternate words of the message,
// each word scrambled by multiplications and a rotation, and are mixed into each other.
#include <everbloom/hash/murmur3.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace everbloom {
namespace {

constexpr std::uint64_t first_multiplier = 0x87c37b91114253d5;
constexpr std::uint64_t second_multiplier = 0x4cf5ad432745937f;
constexpr std::size_t block_bytes = 16;

struct murmur_block {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    // Bytes after the end of the message are 0, and a word of zeros changes nothing.
    murmur_block(const char* bytes, std::size_t count) noexcept {
        std::memcpy(&low, bytes, std::min<std::size_t>(count, 8));
        if (count > 8) std::memcpy(&high, bytes + 8, count - 8);
    }
    [[nodiscard]] std::uint64_t for_low_lane() const noexcept {
        return std::rotl(low * first_multiplier, 31) * second_multiplier;
    }
    [[nodiscard]] std::uint64_t for_high_lane() const noexcept {
        return std::rotl(high * second_multiplier, 33) * first_multiplier;
    }
};

std::uint64_t finished(std::uint64_t lane) noexcept {
    lane ^= lane >> 33;
    lane *= 0xff51afd7ed558ccd;
    lane ^= lane >> 33;
    lane *= 0xc4ceb9fe1a85ec53;
    return lane ^ (lane >> 33);
}

} // namespace

digest murmur3_hasher::operator()(key_bytes key) const noexcept {
    std::uint64_t low = seed_;
    std::uint64_t high = seed_;
    const char* at = key.data();
    for (std::size_t blocks = key.bytes() / block_bytes; blocks != 0; --blocks, at += block_bytes) {
        const murmur_block block(at, block_bytes);
        low ^= block.for_low_lane();
        low = (std::rotl(low, 27) + high) * 5 + 0x52dce729;
        high ^= block.for_high_lane();
        high = (std::rotl(high, 31) + low) * 5 + 0x38495ab5;
    }
    if (const std::size_t left = key.bytes() % block_bytes; left != 0) {
        const murmur_block block(at, left);
        low ^= block.for_low_lane();
        high ^= block.for_high_lane();
    }
    low ^= key.bytes();
    high ^= key.bytes();
    low += high;
    high += low;
    low = finished(low);
    high = finished(high);
    low += high;
    high += low;
    return {low, high};
}

} // namespace everbloom
