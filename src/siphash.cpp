// SipHash (Aumasson and Bernstein, 2012): four words of state; a message word is mixed in by two rounds, the result is taken out after
// four, and once more after another four for the second half of the 128 bits.
#include <everbloom/hash/siphash.hpp>

#include <bit>
#include <cstring>

namespace everbloom {
namespace {

struct sip_state {
    std::uint64_t v0;
    std::uint64_t v1;
    std::uint64_t v2;
    std::uint64_t v3;

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

std::uint64_t word_at(const void* bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

digest siphash_hasher::operator()(key_bytes key) const noexcept {
    const std::uint64_t first = word_at(key_.bytes.data());
    const std::uint64_t second = word_at(key_.bytes.data() + 8);
    // "somepseudorandomlygeneratedbytes"; 0xee and 0xdd tell 128 bits of output from 64.
    sip_state state{first ^ 0x736f6d6570736575, second ^ 0x646f72616e646f6d ^ 0xee, first ^ 0x6c7967656e657261,
                    second ^ 0x7465646279746573};
    const char* at = key.data();
    for (std::size_t words = key.bytes() / 8; words != 0; --words, at += 8) state.absorb(word_at(at));
    std::uint64_t last = std::uint64_t{key.bytes()} << 56; // the length, and the bytes that fill no word
    for (std::size_t i = 0; i < key.bytes() % 8; ++i) {
        last |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    state.absorb(last);
    state.v2 ^= 0xee;
    const std::uint64_t low = state.finish();
    state.v1 ^= 0xdd;
    return {low, state.finish()};
}

} // namespace everbloom
