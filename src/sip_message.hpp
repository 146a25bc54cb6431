// A key as SipHash reads it: whole words of eight bytes, and a last one with the bytes that fill no word and the length.
#pragma once

#include <everbloom/hash/key_bytes.hpp>

#include <cstdint>
#include <cstring>

namespace everbloom {

/// The state before the first word: the hash key and a constant.
struct sip_start {
    std::uint64_t v0;
    std::uint64_t v1;
    std::uint64_t v2;
    std::uint64_t v3;
};

struct sip_message {
    const char* data;
    std::size_t words; // without the last
    std::uint64_t last;

    explicit sip_message(key_bytes key) noexcept
        : data(key.data()), words(key.bytes() / 8), last((std::uint64_t{key.bytes()} << 56) | rest(key)) {}

    [[nodiscard]] static std::uint64_t word_at(const char* bytes) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        return word;
    }
    [[nodiscard]] std::uint64_t word(std::size_t index) const noexcept { return word_at(data + 8 * index); }
    [[nodiscard]] std::uint64_t word_or_last(std::size_t index) const noexcept {
        return index < words ? word(index) : last;
    }

private:
    /// The bytes that fill no word. Where there are eight bytes that end with them, one load and a shift give them.
    [[nodiscard]] static std::uint64_t rest(key_bytes key) noexcept {
        const std::size_t bytes = key.bytes() % 8;
        if (key.bytes() >= 8) return (word_at(key.data() + key.bytes() - 8) >> 8) >> (56 - 8 * bytes);
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            found |= std::uint64_t{static_cast<unsigned char>(key.data()[i])} << (8 * i);
        }
        return found;
    }
};

} // namespace everbloom
