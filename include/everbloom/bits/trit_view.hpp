// trit_view: cells of three values, five in a byte, because 3^5 = 243 fits 256: 1.6 bits a cell instead of 2.
//
//   byte = t0 + 3 t1 + 9 t2 + 27 t3 + 81 t4          cell i is t_(i mod 5) of byte i / 5
//
// Reading takes one table look-up per byte; changing adds or subtracts a power of three. The words are seen as bytes, lowest
// first. Byte values from 243 on are illegal.
#pragma once

#include <everbloom/bits/prefetch_line.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace everbloom {

inline constexpr std::uint64_t trits_per_byte = 5;
inline constexpr unsigned legal_trit_bytes = 243;

/// The five trits of a byte, two bits each.
inline constexpr std::array<std::uint16_t, legal_trit_bytes> unpacked_trits = [] {
    std::array<std::uint16_t, legal_trit_bytes> table{};
    for (unsigned byte = 0; byte < legal_trit_bytes; ++byte) {
        unsigned rest = byte;
        for (unsigned i = 0; i < trits_per_byte; ++i, rest /= 3)
            table[byte] |= static_cast<std::uint16_t>(rest % 3 << (2 * i));
    }
    return table;
}();

template <class Word>
class trit_view {
public:
    using byte_type = std::conditional_t<std::is_const_v<Word>, const std::uint8_t, std::uint8_t>;

    explicit trit_view(Word* words) noexcept : bytes_(reinterpret_cast<byte_type*>(words)) {}

    [[nodiscard]] std::uint64_t get(std::uint64_t index) const noexcept {
        return (unpacked_trits[bytes_[index / trits_per_byte]] >> (2 * (index % trits_per_byte))) & 3;
    }
    void set(std::uint64_t index, std::uint64_t value) const noexcept { add_within(index, value - get(index)); }
    void add_within(std::uint64_t index, std::uint64_t amount) const noexcept {
        byte_type& byte = bytes_[index / trits_per_byte];
        byte = static_cast<std::uint8_t>(byte + amount * power(index));
    }
    void subtract_within(std::uint64_t index, std::uint64_t amount) const noexcept { add_within(index, -amount); }
    void prefetch(std::uint64_t index) const noexcept { prefetch_line(bytes_ + index / trits_per_byte); }

private:
    [[nodiscard]] static std::uint64_t power(std::uint64_t index) noexcept {
        constexpr std::array<std::uint8_t, trits_per_byte> powers{1, 3, 9, 27, 81};
        return powers[index % trits_per_byte];
    }

    byte_type* bytes_;
};

} // namespace everbloom
