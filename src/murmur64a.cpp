#include <everbloom/hash/murmur64a.hpp>

#include <cstddef>
#include <cstring>

namespace everbloom {
namespace {

/// Little-endian, as on every machine we support; bytes that are absent are zero.
std::uint64_t word_at(const char* bytes, std::size_t count) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    return word;
}

} // namespace

std::uint64_t murmur64a(std::string_view key, std::uint64_t seed) noexcept {
    constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;
    constexpr unsigned shift = 47;
    const auto stirred = [](std::uint64_t value) { return value ^ (value >> shift); };
    std::uint64_t hash = seed ^ (key.size() * multiplier);
    std::size_t at = 0;
    for (; at + 8 <= key.size(); at += 8) {
        const std::uint64_t word = stirred(word_at(key.data() + at, 8) * multiplier) * multiplier;
        hash = (hash ^ word) * multiplier;
    }
    if (at < key.size()) hash = (hash ^ word_at(key.data() + at, key.size() - at)) * multiplier;
    return stirred(stirred(hash) * multiplier);
}

} // namespace everbloom
