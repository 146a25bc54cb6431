// big_endian: numbers in the byte order of Java, from and to bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom {

template <class Number>
[[nodiscard]] inline Number read_big_endian(const std::byte* from) noexcept {
    Number number = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        number = static_cast<Number>(number << 8 | std::to_integer<Number>(from[i]));
    }
    return number;
}

template <class Number>
inline void write_big_endian(Number number, std::byte* to) noexcept {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        to[i] = static_cast<std::byte>(number >> (8 * (sizeof(Number) - 1 - i)) & 0xff);
    }
}

} // namespace everbloom
