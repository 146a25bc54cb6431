// key_bytes: the input of a hash function, the bytes of a key in any of the usual types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace everbloom {

class key_bytes {
public:
    constexpr key_bytes(std::string_view text) noexcept
        : data_(text.data()), bytes_(text.size()) {}                                      // NOLINT(*-explicit-*)
    constexpr key_bytes(const char* text) noexcept : key_bytes(std::string_view(text)) {} // NOLINT(*-explicit-*)
    key_bytes(std::span<const std::byte> bytes) noexcept                                  // NOLINT(*-explicit-*)
        : data_(reinterpret_cast<const char*>(bytes.data())), bytes_(bytes.size()) {}
    /// An integer is its eight little-endian bytes. The key does not own it: hash it before it goes away.
    key_bytes(const std::uint64_t& number) noexcept // NOLINT(*-explicit-*)
        : data_(reinterpret_cast<const char*>(&number)), bytes_(sizeof number) {}

    [[nodiscard]] const char* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    const char* data_;
    std::size_t bytes_;
};

} // namespace everbloom
