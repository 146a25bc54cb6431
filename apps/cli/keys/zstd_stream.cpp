#include "zstd_stream.hpp"

#include <new>

namespace everbloom::cli {

zstd_stream::zstd_stream(std::unique_ptr<plain_stream> file)
    : file_(std::move(file)), compressed_(ZSTD_DStreamInSize()), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    input_.src = compressed_.data();
}

result<std::unique_ptr<zstd_stream>> zstd_stream::over(std::unique_ptr<plain_stream> file) {
    return std::unique_ptr<zstd_stream>(new zstd_stream(std::move(file)));
}

failure zstd_stream::damaged(const std::string& how) const {
    return {failure_reason::damaged, file_->name() + ": the zstd data " + how + " at byte " +
                                         std::to_string(file_offset()) + "; get the file again"};
}

result<std::size_t> zstd_stream::read(std::span<char> into) {
    for (;;) {
        if (unread() == 0 && !may_have_more_) {
            const auto got = file_->read(compressed_);
            if (!got) return fail(got.error());
            if (*got == 0 && in_frame_) return fail(damaged("ends too early,"));
            if (*got == 0) return 0;
            input_.size = *got;
            input_.pos = 0;
        }
        ZSTD_outBuffer output{into.data(), into.size(), 0};
        const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input_);
        if (ZSTD_isError(status) != 0) {
            return fail(damaged(std::string("is damaged (") + ZSTD_getErrorName(status) + ")"));
        }
        in_frame_ = status != 0;
        may_have_more_ = output.pos == output.size && in_frame_;
        if (output.pos != 0) return output.pos;
    }
}

} // namespace everbloom::cli
