// peeked_stream: a stream whose beginning can be inspected before it is read.
#pragma once

#include "keys/byte_stream.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

class peeked_stream final : public byte_stream {
public:
    /// `from` must be at its beginning.
    explicit peeked_stream(std::unique_ptr<byte_stream> from) : from_(std::move(from)) {}

    /// The bytes inspected but not yet read.
    [[nodiscard]] std::string_view start() const noexcept { return start_; }
    /// Inspects up to `most` more bytes, and waits for at least one; false at the end.
    [[nodiscard]] result<bool> look_further(std::size_t most);
    /// Drops the first of the inspected bytes.
    void drop(std::size_t bytes) { start_.erase(0, bytes); }

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return !start_.empty() || ended_ || from_->ready(); }
    /// Would look_further return without waiting?
    [[nodiscard]] bool more_is_ready() const { return ended_ || from_->ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override;
    [[nodiscard]] bool is_decompressed() const noexcept override { return from_->is_decompressed(); }

private:
    std::unique_ptr<byte_stream> from_;
    std::string start_;
    bool ended_ = false; // a terminal must not be read again after its end
};

} // namespace everbloom::cli
