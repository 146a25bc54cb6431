// xz_stream: decompresses an xz file, of one stream or several concatenated ones, or an lzma file.
//
// The file determines the memory for decompression: 65 MiB for `xz -9`, up to 4 GiB. More than most_decoder_bytes is refused.
#pragma once

#include "keys/compressed_input.hpp"

#include <lzma.h>

namespace everbloom::cli {

class xz_stream final : public byte_stream {
public:
    enum class container { xz, lzma };

    xz_stream(std::unique_ptr<byte_stream> file, std::string name, container kind);
    ~xz_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return input_.ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return input_.offset(); }
    [[nodiscard]] bool is_decompressed() const noexcept override { return true; }

private:
    [[nodiscard]] failure failure_of(lzma_ret status) const;
    /// The end, unless other data follows the stream of an lzma file.
    [[nodiscard]] result<std::size_t> end();

    compressed_input input_;
    lzma_stream state_ = LZMA_STREAM_INIT;
    bool is_complete_ = false;
};

} // namespace everbloom::cli
