#include "keys/zstd_stream.hpp"

#include <zstd_errors.h>

#include <new>

namespace everbloom::cli {

zstd_stream::zstd_stream(std::unique_ptr<byte_stream> file, std::string name)
    : input_(std::move(file), std::move(name), "zstd"), context_(ZSTD_createDCtx()) {
    constexpr int largest_window = 27; // 2^27 bytes: the default of zstd, set because we rely on it
    static_assert((std::uint64_t{1} << largest_window) < most_decoder_bytes);
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, largest_window);
}

result<std::size_t> zstd_stream::read(std::span<char> into) {
    for (;;) {
        if (!may_have_more_) {
            const auto fed = input_.feed();
            if (!fed) return fail(fed.error());
            if (!*fed && in_frame_) return fail(input_.ends_early());
            if (!*fed) return 0;
        }
        const auto compressed = input_.unread();
        ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
        ZSTD_outBuffer output{into.data(), into.size(), 0};
        const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input);
        input_.use(input.pos);
        if (ZSTD_isError(status) != 0) {
            const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
            if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
            if (code == ZSTD_error_frameParameter_windowTooLarge)
                return fail(input_.needs_too_much("zstd -dc --long=31"));
            return fail(input_.damaged(std::string("is damaged (") + ZSTD_getErrorName(status) + ")"));
        }
        in_frame_ = status != 0;
        may_have_more_ = output.pos == output.size && in_frame_;
        if (output.pos != 0) return output.pos;
    }
}

} // namespace everbloom::cli
