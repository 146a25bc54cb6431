// xz_stream: the contents of an xz file, of one stream or of several behind each other, or of its predecessor, an lzma file.
//
// How much memory decompressing takes is up to the file: 65 MiB for one made with `xz -9`, 4 GiB at the most. More than
// most_decoder_bytes is refused.
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
    /// The end, unless something stands behind the only stream of an lzma file.
    [[nodiscard]] result<std::size_t> end();

    compressed_input input_;
    lzma_stream state_ = LZMA_STREAM_INIT;
    bool is_complete_ = false;
};

} // namespace everbloom::cli
