// Making room in a field of a line, and closing a gap: what is behind a place is shifted by one item.
//
// Three fields, three ways, none of which has a branch that depends on the place: that would be guessed wrong most of the time. Ends are a
// number of 128 bits, extensions an array of small numbers, bytes are shifted in vectors with a mask. Everything outside of the field stays.
// A change of several fields begins with the bytes: what a word reads after a vector was written is at hand at once, the other way
// round it has to go through the cache.
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

/// The ends from `at` on, 0 to 127; `field` says which bits of the first two words are ends.
[[nodiscard, gnu::always_inline]] inline std::array<std::uint64_t, 2>
ends_from(const std::uint64_t* line, const std::array<std::uint64_t, 2>& field, unsigned at) noexcept {
    const std::uint64_t mask = ~std::uint64_t{0} << at % 64;
    const std::uint64_t in_low = static_cast<std::uint64_t>(at / 64) - 1;
    return {line[0] & field[0] & mask & in_low, line[1] & field[1] & (mask | in_low)};
}

// What is added to itself is shifted by one. (A type of 128 bits would say it in one line; g++ 12 keeps those in memory.)

/// Puts a 0 at `at`; the last bit of the field, a 0, is lost.
[[gnu::always_inline]] inline void insert_end(std::uint64_t* line, const std::array<std::uint64_t, 2>& field,
                                              unsigned at) noexcept {
    const auto moved = ends_from(line, field, at);
    line[0] += moved[0];
    line[1] += moved[1] + (moved[0] >> 63); // the highest bit of a half that is doubled is what it carries
}
/// Takes the 0 at `at` out; the last bit of the field becomes 0.
[[gnu::always_inline]] inline void erase_end(std::uint64_t* line, const std::array<std::uint64_t, 2>& field,
                                             unsigned at) noexcept {
    const auto moved = ends_from(line, field, at);
    line[0] = (line[0] ^ moved[0]) | moved[0] >> 1 | moved[1] << 63;
    line[1] = (line[1] ^ moved[1]) | moved[1] >> 1;
}

/// The bits of the word with this number that are in [from, to).
[[nodiscard, gnu::always_inline]] inline constexpr std::uint64_t bits_within(unsigned word, unsigned from,
                                                                             unsigned to) noexcept {
    const unsigned begin = from > word * 64 ? from - word * 64 : 0;
    const unsigned end = to > word * 64 ? to - word * 64 : 0;
    return low_mask(end) & ~low_mask(begin);
}

/// Masks for bits of a line, in a row for each of the 8 bits that one may be in a byte: 64 bytes of zeros, then ones from that bit on.
alignas(64) inline constexpr auto bits_from = [] {
    std::array<std::array<std::uint8_t, 128>, 8> made{};
    for (unsigned bit = 0; bit < 8; ++bit) {
        made[bit][64] = static_cast<std::uint8_t>(0xff << bit);
        for (std::size_t i = 65; i < 128; ++i) made[bit][i] = 0xff;
    }
    return made;
}();
/// The bits of a line from `at` on.
class mask_of_bits {
public:
    [[gnu::always_inline]] explicit mask_of_bits(unsigned at) noexcept
        : start_(bits_from[at % 8].data() + 64 - at / 8) {}
    [[nodiscard, gnu::always_inline]] std::uint64_t word(unsigned number) const noexcept {
        std::uint64_t made = 0;
        std::memcpy(&made, start_ + std::size_t{number} * 8, sizeof made);
        return made;
    }

private:
    const std::uint8_t* start_;
};
/// The bits of the last word of a field that are in front of its end.
[[nodiscard, gnu::always_inline]] inline std::uint64_t bits_in_last_word(unsigned to) noexcept {
    return ~std::uint64_t{0} >> ((0 - to) & 63);
}

/// Puts a number of `width` bits at the bit `at` of the field [from, to); its last `width` bits, zeros, are lost.
[[gnu::always_inline]] inline void insert_bits(std::uint64_t* line, unsigned from, unsigned to, unsigned at,
                                               unsigned width, std::uint64_t value) noexcept {
    const mask_of_bits mask(at);
    const unsigned last = (to - 1) / 64;
    std::uint64_t before = 0; // what leaves one word enters the next
    for (unsigned word = from / 64; word < last; ++word) {
        const std::uint64_t moved = line[word] & mask.word(word);
        line[word] ^= moved ^ moved << width ^ before;
        before = moved >> (64 - width);
    }
    const std::uint64_t moved = line[last] & mask.word(last) & bits_in_last_word(to);
    line[last] ^= moved ^ moved << width ^ before;
    line[at / 64] |= value << at % 64;
    if (at % 64 + width > 64) line[at / 64 + 1] |= value >> (64 - at % 64);
}
/// Takes `width` bits out; the last bits of the field become 0.
[[gnu::always_inline]] inline void erase_bits(std::uint64_t* line, unsigned from, unsigned to, unsigned at,
                                              unsigned width) noexcept {
    const mask_of_bits mask(at);
    const unsigned last = (to - 1) / 64;
    std::uint64_t kept = mask.word(last) & bits_in_last_word(to);
    std::uint64_t before = 0;
    for (unsigned word = last; word > from / 64; --word) {
        const std::uint64_t moved = line[word] & kept;
        line[word] ^= moved ^ ((moved >> width | before) & kept);
        before = moved << (64 - width);
        kept = mask.word(word - 1);
    }
    const std::uint64_t moved = line[from / 64] & kept;
    line[from / 64] ^= moved ^ ((moved >> width | before) & kept);
}

// Vectors of the compiler: it makes of them what the machine has.
using byte_vector = std::int8_t __attribute__((vector_size(16)));

[[nodiscard, gnu::always_inline]] inline byte_vector load_bytes(const void* from) noexcept {
    byte_vector made;
    std::memcpy(&made, from, sizeof made);
    return made;
}
[[gnu::always_inline]] inline void store_bytes(void* to, byte_vector what) noexcept {
    std::memcpy(to, &what, sizeof what);
}

/// The bytes of a window from the byte `first` of the line on.
[[nodiscard, gnu::always_inline]] inline byte_vector mask_from(unsigned first, unsigned window) noexcept {
    return load_bytes(bits_from[0].data() + 64 + window - first);
}

// The bytes from 16 on are three vectors. Lines with few buckets have some before, the bytes 8 to 15: a word.
inline constexpr unsigned vectors_at = 16;

/// Makes room for a byte at `at`, `first` to 63, of the field from `first`, at least 9, on; the last one of the line is lost.
[[gnu::always_inline]] inline void open_byte(std::uint64_t* line, unsigned first, unsigned at) noexcept {
    auto* const bytes = reinterpret_cast<unsigned char*>(line);
    const auto shifted = [&](unsigned window) __attribute__((always_inline)) {
        return mask_from(at + 1, window) < 0 ? load_bytes(bytes + window - 1) : load_bytes(bytes + window);
    };
    const byte_vector low = shifted(vectors_at);
    const byte_vector middle = shifted(vectors_at + 16);
    const byte_vector high = shifted(vectors_at + 32);
    if (first < vectors_at) {
        const std::uint64_t mask = bits_within(1, 8 * at + 8, 128);
        line[1] = (line[1] & ~mask) | (line[1] << 8 & mask);
    }
    store_bytes(bytes + vectors_at, low);
    store_bytes(bytes + vectors_at + 16, middle);
    store_bytes(bytes + vectors_at + 32, high);
}
/// Puts it there. Nothing of the line should be read soon after that: the processor would have to wait for the byte.
[[gnu::always_inline]] inline void fill_byte(std::uint64_t* line, unsigned at, std::uint8_t value) noexcept {
    reinterpret_cast<unsigned char*>(line)[at] = value;
}
/// Takes the byte at `at` out; the last one becomes 0.
[[gnu::always_inline]] inline void erase_byte(std::uint64_t* line, unsigned first, unsigned at) noexcept {
    using two_words = std::uint64_t __attribute__((vector_size(16)));
    auto* const bytes = reinterpret_cast<unsigned char*>(line);
    const auto shifted = [&](unsigned window, byte_vector next) __attribute__((always_inline)) {
        return mask_from(at, window) < 0 ? next : load_bytes(bytes + window);
    };
    const byte_vector low = shifted(vectors_at, load_bytes(bytes + vectors_at + 1));
    const byte_vector middle = shifted(vectors_at + 16, load_bytes(bytes + vectors_at + 17));
    // Nothing is read behind the line.
    const two_words last{line[6] >> 8 | line[7] << 56, line[7] >> 8};
    const byte_vector high = shifted(vectors_at + 32, reinterpret_cast<byte_vector>(last));
    if (first < vectors_at) {
        const std::uint64_t mask = bits_within(1, 8 * at, 128);
        line[1] = (line[1] & ~mask) | ((line[1] >> 8 | line[2] << 56) & mask);
    }
    store_bytes(bytes + vectors_at, low);
    store_bytes(bytes + vectors_at + 16, middle);
    store_bytes(bytes + vectors_at + 32, high);
}

} // namespace everbloom::kernel
