// plain_stream: the bytes of a file or pipe, not decompressed.
#pragma once

#include "keys/byte_stream.hpp"

#include <string>

namespace everbloom::cli {

class plain_stream final : public byte_stream {
public:
    [[nodiscard]] static result<std::unique_ptr<plain_stream>> open(const std::string& name,
                                                                    const cancellation& cancel);
    ~plain_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override;
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return offset_; }

private:
    plain_stream(std::string name, int descriptor, const cancellation& cancel)
        : name_(std::move(name)), descriptor_(descriptor), cancel_(cancel) {}

    std::string name_;
    int descriptor_;
    const cancellation& cancel_;
    std::uint64_t offset_ = 0;
};

} // namespace everbloom::cli
