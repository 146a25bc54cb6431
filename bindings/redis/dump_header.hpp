// The first chunk of a dump (SCANDUMP): a magic word, and how many bytes follow in the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace everbloom::redis {

inline constexpr std::string_view dump_magic = "EBchunks";

[[nodiscard]] inline std::string dump_header(std::uint64_t total) {
    std::string header(dump_magic);
    for (unsigned i = 0; i < 8; ++i) header += static_cast<char>(total >> (8 * i));
    return header;
}

/// Nothing if this is no such header.
[[nodiscard]] inline std::optional<std::uint64_t> total_of(std::string_view header) noexcept {
    if (header.size() != dump_magic.size() + 8 || !header.starts_with(dump_magic)) return std::nullopt;
    std::uint64_t total = 0;
    for (unsigned i = 0; i < 8; ++i) {
        total |= std::uint64_t{static_cast<unsigned char>(header[dump_magic.size() + i])} << (8 * i);
    }
    return total;
}

} // namespace everbloom::redis
