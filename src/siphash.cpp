// SipHash (Aumasson and Bernstein, 2012): four words of state; a message word is mixed in by two rounds, the result is taken out after
// four, and once more after another four for the second half of the 128 bits.
#include "sip_message.hpp"
#include "siphash_lanes.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>
#include <everbloom/hash/siphash.hpp>

#include <bit>

namespace everbloom {
namespace {

struct sip_state : sip_start {
    void round() noexcept {
        v0 += v1;
        v2 += v3;
        v1 = std::rotl(v1, 13) ^ v0;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 = std::rotl(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = std::rotl(v1, 17) ^ v2;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 = std::rotl(v2, 32);
    }
    void absorb(std::uint64_t word) noexcept {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
    [[nodiscard]] std::uint64_t finish() noexcept {
        for (int i = 0; i < 4; ++i) round();
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

sip_start start_of(const hash_key& key) noexcept {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::memcpy(&first, key.bytes.data(), 8);
    std::memcpy(&second, key.bytes.data() + 8, 8);
    // "somepseudorandomlygeneratedbytes"; 0xee and 0xdd tell 128 bits of output from 64.
    return {first ^ 0x736f6d6570736575, second ^ 0x646f72616e646f6d ^ 0xee, first ^ 0x6c7967656e657261,
            second ^ 0x7465646279746573};
}

digest hash_one(const sip_start& start, key_bytes key) noexcept {
    sip_state state{start};
    const sip_message message(key);
    for (std::size_t i = 0; i < message.words; ++i) state.absorb(message.word(i));
    state.absorb(message.last);
    state.v2 ^= 0xee;
    const std::uint64_t low = state.finish();
    state.v1 ^= 0xdd;
    return {low, state.finish()};
}

/// `key_at(i)` is the i-th key.
template <class KeyAt>
void hash_batch(const hash_key& key, KeyAt key_at, std::span<digest> digests) noexcept {
    const sip_start start = start_of(key);
    std::size_t i = 0;
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (kernel::has_avx2()) {
        constexpr std::size_t key_lead = 12; // keys may lie anywhere in memory: those further on are prefetched
        for (; i + 4 <= digests.size(); i += 4) {
            for (std::size_t ahead = i + key_lead; ahead < std::min(i + key_lead + 4, digests.size()); ++ahead) {
                prefetch_anywhere(key_at(ahead).data());
            }
            const key_bytes keys[] = {key_at(i), key_at(i + 1), key_at(i + 2), key_at(i + 3)};
            if (siphash_four(start, keys, &digests[i])) continue;
            for (std::size_t j = 0; j < 4; ++j) digests[i + j] = hash_one(start, keys[j]);
        }
    }
#endif
    for (; i < digests.size(); ++i) digests[i] = hash_one(start, key_at(i));
}

} // namespace

digest siphash_hasher::operator()(key_bytes key) const noexcept { return hash_one(start_of(key_), key); }

void siphash_hasher::operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept {
    hash_batch(
        key_, [&](std::size_t i) { return key_bytes(keys[i]); }, digests);
}

void siphash_hasher::operator()(std::span<const std::uint64_t> numbers, std::span<digest> digests) const noexcept {
    hash_batch(
        key_, [&](std::size_t i) { return key_bytes(numbers[i]); }, digests);
}

} // namespace everbloom
