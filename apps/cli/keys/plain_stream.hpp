// plain_stream: a file's bytes as they lie on the disk or come through the pipe.
#pragma once

#include "byte_stream.hpp"

#include <string>
#include <string_view>

namespace everbloom::cli {

class plain_stream final : public byte_stream {
public:
    [[nodiscard]] static result<std::unique_ptr<plain_stream>> open(const std::string& name,
                                                                    const cancellation& cancel);
    ~plain_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override;
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return offset_ - start_.size(); }

    /// Does the file begin with these bytes? Reads no further than it must to know; what was read comes again from `read`.
    [[nodiscard]] result<bool> starts_with(std::string_view wanted);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    plain_stream(std::string name, int descriptor, const cancellation& cancel)
        : name_(std::move(name)), descriptor_(descriptor), cancel_(cancel) {}

    [[nodiscard]] result<std::size_t> read_descriptor(std::span<char> into);

    std::string name_;
    int descriptor_;
    const cancellation& cancel_;
    std::string start_; // read by starts_with, not yet by read
    std::uint64_t offset_ = 0;
};

} // namespace everbloom::cli
