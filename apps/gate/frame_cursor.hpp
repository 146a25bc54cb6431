// frame_cursor: bounds-checked reader for the headers of a captured frame.
//
// A frame has two ends: the end of the captured bytes, and the end of the packet according to its headers. Reading past the first is an
// incomplete capture (`headers_cut`); reading past the second means inconsistent headers (`damaged`). Such a read returns 0 and sets `error`,
// so that a header can be read as a whole and checked once.
#pragma once

#include "gate/packet.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace everbloom::cli {

class frame_cursor {
public:
    /// `whole_bytes`: how long the frame was when it was captured.
    constexpr frame_cursor(std::span<const std::uint8_t> kept, std::size_t whole_bytes) noexcept
        : kept_(kept), whole_bytes_(std::max(whole_bytes, kept.size())) {}

    // Big-endian numbers at offset `at`.
    [[nodiscard]] constexpr std::uint8_t u8(std::size_t at) noexcept { return reaches(at + 1) ? kept_[at] : 0; }
    [[nodiscard]] constexpr std::uint16_t u16(std::size_t at) noexcept {
        if (!reaches(at + 2)) return 0;
        return static_cast<std::uint16_t>(kept_[at] << 8 | kept_[at + 1]);
    }
    [[nodiscard]] constexpr std::uint32_t u32(std::size_t at) noexcept {
        if (at + 4 > kept_.size()) [[unlikely]] // which half is missing decides about the error
            return static_cast<std::uint32_t>(u16(at)) << 16 | u16(at + 2);
        return std::uint32_t{kept_[at]} << 24 | std::uint32_t{kept_[at + 1]} << 16 | std::uint32_t{kept_[at + 2]} << 8 |
               std::uint32_t{kept_[at + 3]};
    }
    [[nodiscard]] constexpr std::array<std::uint8_t, 16> sixteen_bytes(std::size_t at) noexcept {
        std::array<std::uint8_t, 16> bytes{};
        if (reaches(at + bytes.size())) std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(at), 16, bytes.begin());
        return bytes;
    }

    /// Moves past these bytes of a header.
    constexpr void skip(std::size_t bytes) noexcept {
        if (!reaches(bytes)) return;
        kept_ = kept_.subspan(bytes);
        whole_bytes_ -= bytes;
    }

    /// A header says that the packet ends after `bytes` bytes: what follows is padding, what is missing was not captured.
    constexpr void end_after(std::size_t bytes) noexcept {
        kept_ = kept_.first(std::min(kept_.size(), bytes));
        whole_bytes_ = bytes;
    }

    [[nodiscard]] constexpr std::optional<decoding> error() const noexcept { return error_; }
    [[nodiscard]] constexpr std::span<const std::uint8_t> kept() const noexcept { return kept_; }
    /// Bytes ahead, captured or not.
    [[nodiscard]] constexpr std::size_t whole_bytes() const noexcept { return whole_bytes_; }

private:
    [[nodiscard]] constexpr bool reaches(std::size_t bytes) noexcept {
        if (bytes <= kept_.size()) return true;
        if (!error_) error_ = bytes <= whole_bytes_ ? decoding::headers_cut : decoding::damaged;
        return false;
    }

    std::span<const std::uint8_t> kept_; // from here to the end
    std::size_t whole_bytes_;
    std::optional<decoding> error_;
};

} // namespace everbloom::cli
