// bzip2_stream: decompresses a bzip2 file, of one stream or several concatenated ones (as pbzip2 and `cat` make).
#pragma once

#include "keys/compressed_input.hpp"

#include <bzlib.h>

namespace everbloom::cli {

class bzip2_stream final : public byte_stream {
public:
    bzip2_stream(std::unique_ptr<byte_stream> file, std::string name);
    ~bzip2_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return input_.ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return input_.offset(); }
    [[nodiscard]] bool is_decompressed() const noexcept override { return true; }

private:
    void begin();
    /// After a stream: another one, zeros, or the end.
    [[nodiscard]] result<bool> next_stream();

    compressed_input input_;
    bz_stream state_{};
    bool in_stream_ = true;
};

} // namespace everbloom::cli
