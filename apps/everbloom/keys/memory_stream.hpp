// memory_stream: bytes in memory, read as a file.
#pragma once

#include "keys/byte_stream.hpp"

#include <algorithm>

namespace everbloom::cli {

class memory_stream final : public byte_stream {
public:
    /// The bytes must outlive the stream.
    explicit memory_stream(std::string_view bytes) noexcept : rest_(bytes) {}

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override {
        const std::size_t count = std::min(into.size(), rest_.size());
        std::copy_n(rest_.begin(), count, into.begin());
        rest_.remove_prefix(count);
        offset_ += count;
        return count;
    }
    [[nodiscard]] bool ready() const override { return true; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return offset_; }

private:
    std::string_view rest_;
    std::uint64_t offset_ = 0;
};

} // namespace everbloom::cli
