// input_file: a file of packets that is being read, compressed or not: its bytes in order, its name for messages, how far we are. Its
// beginning can be looked at first; it comes again when the file is read.
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

    /// How it is called in messages.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// What comes with the first look at the file, at least 8 bytes unless it is shorter. Only before the first `read`.
    [[nodiscard]] result<std::string_view> beginning();

    /// Waits until there is something, and gives what there is; 0 at the end, and when it was cancelled.
    [[nodiscard]] result<std::size_t> read(std::span<char> into);
    /// Would `read` return at once?
    [[nodiscard]] bool ready() const { return !looked_at_.empty() || stream_->ready(); }
    [[nodiscard]] bool cancelled() const noexcept { return cancel_->requested(); }

    [[nodiscard]] std::uint64_t file_offset() const noexcept { return stream_->file_offset(); }
    /// As it lies on the disk; 0 if it does not lie there.
    [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }

private:
    input_file(std::string name, std::unique_ptr<byte_stream> stream, std::uint64_t file_bytes,
               const cancellation& cancel)
        : name_(std::move(name)), stream_(std::move(stream)), file_bytes_(file_bytes), cancel_(&cancel) {}

    std::string name_;
    std::unique_ptr<byte_stream> stream_;
    std::uint64_t file_bytes_;
    const cancellation* cancel_;
    std::string looked_at_; // by `beginning`, not yet by `read`
};

} // namespace everbloom::cli
