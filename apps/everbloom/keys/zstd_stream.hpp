// zstd_stream: decompresses a zstd file, of one frame or several concatenated ones.
//
// The window of the file determines the memory for decompression. More than 128 MiB, the largest window of `zstd --ultra -22`, is refused.
#pragma once

#include "keys/compressed_input.hpp"

#include <zstd.h>

namespace everbloom::cli {

class zstd_stream final : public byte_stream {
public:
    zstd_stream(std::unique_ptr<byte_stream> file, std::string name);

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return input_.ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return input_.offset(); }
    [[nodiscard]] bool is_decompressed() const noexcept override { return true; }

private:
    struct free_context {
        void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    };

    compressed_input input_;
    std::unique_ptr<ZSTD_DCtx, free_context> context_;
    bool in_frame_ = false;      // the file may not end here
    bool may_have_more_ = false; // the decoder holds bytes that did not fit into the last output
};

} // namespace everbloom::cli
