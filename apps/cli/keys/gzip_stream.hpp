// gzip_stream: the contents of a gzip file, of one member or of several behind each other (as `cat a.gz b.gz` makes).
#pragma once

#include "plain_stream.hpp"

#include <zlib.h>

#include <vector>

namespace everbloom::cli {

inline constexpr std::string_view gzip_magic = "\x1f\x8b\x08"; // the third byte: deflate, the only method there is

class gzip_stream final : public byte_stream {
public:
    [[nodiscard]] static result<std::unique_ptr<gzip_stream>> over(std::unique_ptr<plain_stream> file);
    ~gzip_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return state_.avail_in != 0 || file_->ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_->file_offset() - state_.avail_in; }

private:
    explicit gzip_stream(std::unique_ptr<plain_stream> file);

    /// Is there something to decompress, read if need be?
    [[nodiscard]] result<bool> feed();
    [[nodiscard]] result<bool> next_member();
    [[nodiscard]] failure damaged(std::string_view how) const;

    std::unique_ptr<plain_stream> file_;
    std::vector<char> compressed_;
    z_stream state_{};
    bool in_member_ = true;
};

} // namespace everbloom::cli
