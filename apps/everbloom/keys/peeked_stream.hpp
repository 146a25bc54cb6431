// peeked_stream: a stream whose beginning can be looked at before it is read.
#pragma once

#include "keys/byte_stream.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

class peeked_stream final : public byte_stream {
public:
    /// `from` must be at its beginning.
    explicit peeked_stream(std::unique_ptr<byte_stream> from) : from_(std::move(from)) {}

    /// What was looked at and has not been read yet.
    [[nodiscard]] std::string_view start() const noexcept { return start_; }
    /// Looks at up to `most` bytes more, and waits for one if there is none; false at the end.
    [[nodiscard]] result<bool> look_further(std::size_t most);
    /// Leaves out the first bytes of those that were looked at.
    void drop(std::size_t bytes) { start_.erase(0, bytes); }

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return !start_.empty() || ended_ || from_->ready(); }
    /// Would looking further return without waiting?
    [[nodiscard]] bool more_is_ready() const { return ended_ || from_->ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override;
    [[nodiscard]] bool is_decompressed() const noexcept override { return from_->is_decompressed(); }

private:
    std::unique_ptr<byte_stream> from_;
    std::string start_;
    bool ended_ = false; // a terminal must not be asked twice for its end
};

} // namespace everbloom::cli
