// dcso_note: the fields of a `.bloom` file that a filter file has no place for. It is stored as the attachment of the filter, so that
// converting back gives the same bytes.
//
//   | "EBDCSO1\n" | flags | N | ones: how many bits were set then | the data attached to the .bloom file |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace everbloom {

struct dcso_note {
    std::uint64_t flags = 1;
    std::uint64_t items = 0;
    std::uint64_t ones = 0;
    std::span<const std::byte> data = {}; // not owned: part of the parsed bytes

    /// Nothing if these bytes are another attachment, or empty.
    [[nodiscard]] static std::optional<dcso_note> parse(std::span<const std::byte> attached);
    /// Into exactly `bytes_for(data.size())` bytes.
    void write(std::span<std::byte> into) const;
    [[nodiscard]] static std::size_t bytes_for(std::size_t data_bytes) noexcept;
};

} // namespace everbloom
