// dcso_note: what a `.bloom` file says that a filter file of ours has no field for. It travels as the filter's attachment, so that the
// way back gives the same bytes.
//
//   | "EBDCSO1\n" | flags | N | ones: how many bits were set then | the data attached to the .bloom file |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace everbloom::cli {

struct dcso_note {
    std::uint64_t flags = 1;
    std::uint64_t items = 0;
    std::uint64_t ones = 0;
    std::span<const std::byte> data = {}; // belongs to whoever was parsed, or will be written

    /// Nothing if these bytes are somebody else's attachment, or none.
    [[nodiscard]] static std::optional<dcso_note> parse(std::span<const std::byte> attached);
    /// Into exactly `bytes_for(data.size())` bytes.
    void write(std::span<std::byte> into) const;
    [[nodiscard]] static std::size_t bytes_for(std::size_t data_bytes) noexcept;
};

} // namespace everbloom::cli
