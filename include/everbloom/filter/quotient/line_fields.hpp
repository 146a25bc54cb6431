// Making room in a field of a line, and closing a gap: what is behind a place is shifted by one item.
//
// Three fields, three ways, none of which has a branch that depends on the place: that would be guessed wrong most of the time. Ends are a
// number of 128 bits, extensions an array of small numbers, bytes are shifted in vectors with a mask. Everything outside of the field stays.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/core/units.hpp>

#include <array>
#include <cstdint>
#include <cstring>

namespace everbloom::kernel {

/// The bits of both words below `at`.
[[nodiscard, gnu::always_inline]] inline std::array<std::uint64_t, 2> bits_below(unsigned at) noexcept {
    return {low_mask(at), low_mask(at > 64 ? at - 64 : 0)};
}

/// `field`: which bits of the first two words are ends. Puts a 0 at `at`; the last bit of the field, a 0, is lost.
[[gnu::always_inline]] inline void insert_end(std::uint64_t* line, const std::array<std::uint64_t, 2>& field,
                                              unsigned at) noexcept {
    const auto below = bits_below(at);
    const std::uint64_t low = line[0] & ~below[0];
    const std::uint64_t high = line[1] & ~below[1];
    const std::array<std::uint64_t, 2> shifted{(line[0] & below[0]) | low << 1,
                                               (line[1] & below[1]) | high << 1 | low >> 63};
    line[0] ^= (line[0] ^ shifted[0]) & field[0];
    line[1] ^= (line[1] ^ shifted[1]) & field[1];
}
/// Takes the bit at `at` out; the last bit of the field becomes 0.
[[gnu::always_inline]] inline void erase_end(std::uint64_t* line, const std::array<std::uint64_t, 2>& field,
                                             unsigned at) noexcept {
    const auto below = bits_below(at);
    const std::uint64_t low = line[0] & field[0];
    const std::uint64_t high = line[1] & field[1];
    const std::array<std::uint64_t, 2> shifted{low >> 1 | high << 63, high >> 1};
    line[0] ^= (line[0] ^ shifted[0]) & field[0] & ~below[0];
    line[1] ^= (line[1] ^ shifted[1]) & field[1] & ~below[1];
}

/// The bits of the word with this number that are in [from, to).
[[nodiscard, gnu::always_inline]] inline std::uint64_t bits_within(unsigned word, unsigned from, unsigned to) noexcept {
    const unsigned begin = from > word * 64 ? from - word * 64 : 0;
    const unsigned end = to > word * 64 ? to - word * 64 : 0;
    return low_mask(end) & ~low_mask(begin);
}

[[gnu::always_inline]] inline void put_bits(std::uint64_t* line, unsigned at, unsigned width,
                                            std::uint64_t value) noexcept {
    std::uint64_t* const word = line + at / 64;
    const unsigned shift = at % 64;
    word[0] = (word[0] & ~(low_mask(width) << shift)) | value << shift;
    if (shift + width > 64) {
        const unsigned done = 64 - shift;
        word[1] = (word[1] & ~low_mask(width - done)) | value >> done;
    }
}

/// Puts a number of `width` bits at the bit `at` of the field [from, to); its last `width` bits are lost.
[[gnu::always_inline]] inline void insert_bits(std::uint64_t* line, unsigned from, unsigned to, unsigned at,
                                               unsigned width, std::uint64_t value) noexcept {
    const unsigned first = from / 64;
    for (unsigned word = (to - 1) / 64; word > first; --word) {
        const std::uint64_t shifted = line[word] << width | line[word - 1] >> (64 - width);
        line[word] ^= (line[word] ^ shifted) & bits_within(word, at, to);
    }
    line[first] ^= (line[first] ^ line[first] << width) & bits_within(first, at, to);
    put_bits(line, at, width, value);
}
/// Takes `width` bits out; the last bits of the field become 0.
[[gnu::always_inline]] inline void erase_bits(std::uint64_t* line, unsigned from, unsigned to, unsigned at,
                                              unsigned width) noexcept {
    const unsigned last = (to - 1) / 64;
    for (unsigned word = from / 64; word < last; ++word) {
        const std::uint64_t next = line[word + 1] & bits_within(word + 1, from, to);
        const std::uint64_t shifted = line[word] >> width | next << (64 - width);
        line[word] ^= (line[word] ^ shifted) & bits_within(word, at, to);
    }
    const std::uint64_t inside = line[last] & bits_within(last, from, to);
    line[last] ^= (line[last] ^ inside >> width) & bits_within(last, at, to);
}

// Vectors of the compiler: it makes of them what the machine has.
using byte_vector = std::uint8_t __attribute__((vector_size(16)));

[[nodiscard, gnu::always_inline]] inline byte_vector load_bytes(const void* from) noexcept {
    byte_vector made;
    std::memcpy(&made, from, sizeof made);
    return made;
}
[[gnu::always_inline]] inline void store_bytes(void* to, byte_vector what) noexcept {
    std::memcpy(to, &what, sizeof what);
}

/// 64 zeros and 64 ones (of eight bits): from 64 - n on, a mask for all bytes from n on.
alignas(64) inline constexpr auto bytes_from = [] {
    std::array<std::uint8_t, 128> made{};
    for (std::size_t i = 64; i < made.size(); ++i) made[i] = 0xff;
    return made;
}();
[[nodiscard, gnu::always_inline]] inline byte_vector mask_from(unsigned first, unsigned window) noexcept {
    return load_bytes(bytes_from.data() + 64 + window - first);
}

/// The bytes from 8 on, in vectors: none of them reaches over an end of the line.
inline constexpr std::array<unsigned, 4> byte_windows{8, 16, 32, 48};

/// Puts a byte at `at`, 9 to 63; the last one of the line is lost.
[[gnu::always_inline]] inline void insert_byte(std::uint64_t* line, unsigned at, std::uint8_t value) noexcept {
    auto* const bytes = reinterpret_cast<unsigned char*>(line);
    std::array<byte_vector, byte_windows.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const unsigned window = byte_windows[i];
        const byte_vector old = load_bytes(bytes + window);
        const byte_vector mask = mask_from(at + 1, window);
        made[i] = (old & ~mask) | (load_bytes(bytes + window - 1) & mask);
    }
    for (std::size_t i = 0; i < made.size(); ++i) store_bytes(bytes + byte_windows[i], made[i]);
    bytes[at] = value;
}
/// Takes the byte at `at` out; the last one becomes 0.
[[gnu::always_inline]] inline void erase_byte(std::uint64_t* line, unsigned at) noexcept {
    auto* const bytes = reinterpret_cast<unsigned char*>(line);
    const std::uint64_t last = line[7] >> 8;
    const std::uint64_t last_mask = bits_within(7, 8 * at, line_bits);
    const std::uint64_t last_made = (line[7] & ~last_mask) | (last & last_mask);
    constexpr std::array<unsigned, 3> windows{8, 24, 40};
    std::array<byte_vector, windows.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const unsigned window = windows[i];
        const byte_vector old = load_bytes(bytes + window);
        const byte_vector mask = mask_from(at, window);
        made[i] = (old & ~mask) | (load_bytes(bytes + window + 1) & mask);
    }
    for (std::size_t i = 0; i < made.size(); ++i) store_bytes(bytes + windows[i], made[i]);
    line[7] = last_made;
}

} // namespace everbloom::kernel
