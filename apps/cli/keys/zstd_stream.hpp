// zstd_stream: the contents of a zstd file, of one frame or of several behind each other.
#pragma once

#include "plain_stream.hpp"

#include <zstd.h>

#include <vector>

namespace everbloom::cli {

inline constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

class zstd_stream final : public byte_stream {
public:
    [[nodiscard]] static result<std::unique_ptr<zstd_stream>> over(std::unique_ptr<plain_stream> file);

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return unread() != 0 || file_->ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_->file_offset() - unread(); }

private:
    explicit zstd_stream(std::unique_ptr<plain_stream> file);

    [[nodiscard]] std::size_t unread() const noexcept { return input_.size - input_.pos; }
    [[nodiscard]] failure damaged(const std::string& how) const;

    struct free_context {
        void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    };

    std::unique_ptr<plain_stream> file_;
    std::vector<char> compressed_;
    std::unique_ptr<ZSTD_DCtx, free_context> context_;
    ZSTD_inBuffer input_{};
    bool in_frame_ = false;      // the file may not end here
    bool may_have_more_ = false; // the decoder holds bytes that did not fit into the last output
};

} // namespace everbloom::cli
