// byte_pattern_list: patterns of bytes, each with a mask, in two arrays.
//
// A pattern matches data at any offset if (data & mask) == bytes for all of its bytes. A text pattern has a mask of ones; `hex:4? ?? 55` has
// zeros for the digits that may be anything. Bytes are stored masked, so that equal patterns are equal bytes and masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

/// Maximum length of a byte pattern. A sender's history is one byte shorter, and its length is stored in a byte.
inline constexpr std::size_t most_pattern_bytes = 256;
inline constexpr std::uint8_t whole_byte = 0xFF; // the mask of a byte that is compared as a whole

struct byte_pattern {
    std::span<const std::uint8_t> bytes;
    std::span<const std::uint8_t> mask; // as long

    [[nodiscard]] std::size_t size() const noexcept { return bytes.size(); }
    /// `data` has at least size() bytes.
    [[nodiscard]] bool matches(const std::uint8_t* data) const noexcept {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if ((data[i] & mask[i]) != bytes[i]) return false;
        }
        return true;
    }
    /// As a line of a pattern file: hex:474e55, with /ffff0f if a mask is needed.
    [[nodiscard]] std::string text() const;
};

class byte_pattern_list {
public:
    void add(byte_pattern one);
    /// Also sorts them.
    void remove_duplicates();

    [[nodiscard]] std::size_t count() const noexcept { return begins_.size() - 1; }
    [[nodiscard]] byte_pattern operator[](std::size_t index) const noexcept {
        const std::size_t length = begins_[index + 1] - begins_[index];
        return {std::span(bytes_).subspan(begins_[index], length), std::span(masks_).subspan(begins_[index], length)};
    }
    [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
    /// One pattern per line.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::size_t bytes() const noexcept {
        return bytes_.capacity() + masks_.capacity() + begins_.capacity() * sizeof(std::size_t);
    }

    friend bool operator==(const byte_pattern_list&, const byte_pattern_list&) = default;

private:
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint8_t> masks_;
    std::vector<std::size_t> begins_{0};
    std::size_t longest_ = 0;
};

} // namespace everbloom::cli
