// input_file: a packet file being read, compressed or not, with its name for messages and the read position. The first bytes can be
// peeked at before reading.
#pragma once

#include "keys/byte_stream.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

class input_file {
public:
    /// "-" is standard input. `cancel` must outlive the file.
    [[nodiscard]] static result<input_file> open(const std::string& name, const reading_rules& rules,
                                                 const cancellation& cancel);

    /// Its name in messages.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Peeks at the first bytes: at least 8 unless the file is shorter. Only before the first `read`.
    [[nodiscard]] result<std::string_view> beginning();

    /// Blocks until there is data and returns how much was read; 0 at the end and after cancellation.
    [[nodiscard]] result<std::size_t> read(std::span<char> into);
    /// Would `read` return at once?
    [[nodiscard]] bool ready() const { return !looked_at_.empty() || stream_->ready(); }
    [[nodiscard]] bool cancelled() const noexcept { return cancel_->requested(); }

    [[nodiscard]] std::uint64_t file_offset() const noexcept { return stream_->file_offset(); }
    /// The size on disk; 0 if it is not a regular file.
    [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }

private:
    input_file(std::string name, std::unique_ptr<byte_stream> stream, std::uint64_t file_bytes,
               const cancellation& cancel)
        : name_(std::move(name)), stream_(std::move(stream)), file_bytes_(file_bytes), cancel_(&cancel) {}

    std::string name_;
    std::unique_ptr<byte_stream> stream_;
    std::uint64_t file_bytes_;
    const cancellation* cancel_;
    std::string looked_at_; // returned by `beginning`, not yet by `read`
};

} // namespace everbloom::cli
