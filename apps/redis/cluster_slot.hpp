// cluster_slot: in which of the 16,384 slots of a cluster a key is: CRC-16 (XMODEM) of its hash tag, the text between the first pair of
// braces, or of the whole key.
#pragma once

#include <cstdint>
#include <string_view>

namespace everbloom::cli {

inline constexpr std::uint32_t cluster_slots = 16384;

[[nodiscard]] constexpr std::uint32_t slot_of(std::string_view key) noexcept {
    if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
        const std::size_t close = key.find('}', open + 1);
        if (close != std::string_view::npos && close != open + 1) key = key.substr(open + 1, close - open - 1);
    }
    std::uint32_t crc = 0;
    for (const char one : key) {
        crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(one)) << 8;
        for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U);
        crc &= 0xFFFF;
    }
    return crc % cluster_slots;
}

static_assert(slot_of("123456789") == 0x31C3 % cluster_slots); // the check value of CRC-16/XMODEM
static_assert(slot_of("names:{7}") == slot_of("7"));

} // namespace everbloom::cli
