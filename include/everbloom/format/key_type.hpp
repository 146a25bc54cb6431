// key_type: how the text of a key becomes the bytes that are hashed. Every file names one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace everbloom {

/// Written to files: a number is never given a second meaning.
enum class key_type : std::uint32_t { text = 0, u64 = 1, ip = 2, hex = 3, domain = 4, cidr = 5 };

inline constexpr std::array<std::string_view, 6> key_type_names{"text", "u64", "ip", "hex", "domain", "cidr"};

[[nodiscard]] constexpr std::string_view name_of(key_type type) noexcept {
    return key_type_names[static_cast<std::size_t>(type)];
}

} // namespace everbloom
