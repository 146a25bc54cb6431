// compressed_input: the input side of a decompressing stream: a buffer over the file, its position, and the messages for damaged data.
#pragma once

#include "keys/byte_stream.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// The memory limit of a decoder: enough for the largest window of xz -9 and zstd --ultra.
inline constexpr std::uint64_t most_decoder_bytes = std::uint64_t{130} << 20;

class compressed_input {
public:
    /// `format` is its name in messages: "gzip".
    compressed_input(std::unique_ptr<byte_stream> file, std::string name, std::string_view format)
        : file_(std::move(file)), name_(std::move(name)), format_(format), buffer_(buffer_bytes) {}

    /// Reads if the buffer is empty; false at the end of the file.
    [[nodiscard]] result<bool> feed();
    [[nodiscard]] std::span<char> unread() noexcept { return std::span(buffer_).subspan(from_, until_ - from_); }
    [[nodiscard]] std::size_t unread_bytes() const noexcept { return until_ - from_; }
    void use(std::size_t bytes) noexcept { from_ += bytes; }
    /// Skips zeros, the padding of tapes and blocks; false at the end of the file.
    [[nodiscard]] result<bool> skip_zeros();

    [[nodiscard]] bool ready() const { return unread_bytes() != 0 || file_->ready(); }
    [[nodiscard]] std::uint64_t offset() const noexcept { return file_->file_offset() - unread_bytes(); }

    /// "keys.gz: the gzip data <how> at byte 17; download or copy the file again"
    [[nodiscard]] failure damaged(std::string_view how) const;
    [[nodiscard]] failure ends_early() const { return damaged("ends too early,"); }
    [[nodiscard]] failure is_followed_by_other_data() const { return damaged("is followed by other bytes"); }
    /// The data needs more memory than the limit; `command` decompresses it.
    [[nodiscard]] failure needs_too_much(std::string_view command) const;

private:
    static constexpr std::size_t buffer_bytes = std::size_t{1} << 17;

    std::unique_ptr<byte_stream> file_;
    std::string name_;
    std::string_view format_;
    std::vector<char> buffer_;
    std::size_t from_ = 0;
    std::size_t until_ = 0;
};

} // namespace everbloom::cli
