// The slots of a bucket as a mask, on processors with BMI2: what is compared in a whole line at once is cut down to the bucket with it.
#pragma once

#include <everbloom/filter/quotient/quotient_line.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <bit>
#include <cstring>

namespace everbloom {
/// Lines that are likely to be in a cache, 16 MiB of them: there, to read a line of a batch long before it is needed only takes time.
inline constexpr std::uint64_t cached_lines = std::uint64_t{1} << 18;
} // namespace everbloom

namespace everbloom::kernel {

/// Bit i: the byte i of the line belongs to an item in this bucket. Its items are the zeros behind the one with which it starts: subtracting
/// that carries through them. A one has no slot, so the slot of an item is its position without the ones before it. `ones` are those of the
/// first word; not for the last bucket that begins there, which goes on in the second.
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t
bytes_in_a_word(const std::uint64_t* line, unsigned number, unsigned ones, unsigned first_byte) noexcept {
    // Which word it is in is as good as random. The compiler would guess; these are conditional moves.
    unsigned rest = number;
    std::uint64_t word = line[1];
    asm("sub %k[ones], %k[rest]\n\t"
        "cmovb %k[number], %k[rest]\n\t"
        "cmovb %[low], %[word]"
        : [rest] "+&r"(rest), [word] "+&r"(word)
        : [ones] "r"(ones), [number] "r"(number), [low] "r"(line[0])
        : "cc");
    const std::uint64_t start = _pdep_u64(std::uint64_t{1} << rest, word);
    return std::rotr(~word & (word - 2 * start), static_cast<int>(number + 1 - first_byte));
}
/// The same for slots.
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t slots_in_a_word(const std::uint64_t* line, unsigned number,
                                                                             unsigned ones) noexcept {
    return bytes_in_a_word(line, number, ones, 0);
}

/// The same for every bucket.
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t bytes_of(const std::uint64_t* line, unsigned number,
                                                                      unsigned first_byte) noexcept {
    const auto ones = static_cast<unsigned>(__builtin_popcountll(line[0]));
    if (ones != number + 1) [[likely]]
        return bytes_in_a_word(line, number, ones, first_byte);
    const auto in_low = static_cast<unsigned>(_lzcnt_u64(line[0]));
    const auto in_high = static_cast<unsigned>(_tzcnt_u64(line[1]));
    // Only an empty bucket begins behind the last byte: a mask of 0, which any shift leaves as it is.
    return _bzhi_u64(~std::uint64_t{0}, in_low + in_high) << ((63 - in_low - number + first_byte) % 64);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t slots_of(const std::uint64_t* line,
                                                                      unsigned number) noexcept {
    return bytes_of(line, number, 0);
}

/// The extension in a slot.
EVERBLOOM_MODERN [[gnu::always_inline]] inline std::uint64_t
extension_in(const std::uint64_t* line, unsigned extensions_at, unsigned extension_bits, unsigned slot) noexcept {
    const unsigned bit = extensions_at + slot * extension_bits;
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
    return _bzhi_u64(word >> bit % 8, extension_bits);
}

} // namespace everbloom::kernel

#endif
