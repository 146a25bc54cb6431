// gzip_stream: the contents of a gzip file, of one member or of several behind each other (as `cat a.gz b.gz` makes).
#pragma once

#include "keys/compressed_input.hpp"

#include <zlib.h>

namespace everbloom::cli {

class gzip_stream final : public byte_stream {
public:
    gzip_stream(std::unique_ptr<byte_stream> file, std::string name);
    ~gzip_stream() override;

    [[nodiscard]] result<std::size_t> read(std::span<char> into) override;
    [[nodiscard]] bool ready() const override { return input_.ready(); }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return input_.offset(); }
    [[nodiscard]] bool is_decompressed() const noexcept override { return true; }

private:
    /// After a member: another one, zeros as padding, or the end.
    [[nodiscard]] result<bool> next_member();

    compressed_input input_;
    z_stream state_{};
    bool in_member_ = true;
};

} // namespace everbloom::cli
