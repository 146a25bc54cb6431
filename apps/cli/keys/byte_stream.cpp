#include "byte_stream.hpp"

#include "gzip_stream.hpp"
#include "plain_stream.hpp"
#include "zstd_stream.hpp"

namespace everbloom::cli {

result<std::unique_ptr<byte_stream>> open_bytes(const std::string& name, const cancellation& cancel) {
    auto file = plain_stream::open(name, cancel);
    if (!file) return fail(std::move(file.error()));
    const auto is_gzip = (*file)->starts_with(gzip_magic);
    if (!is_gzip) return fail(is_gzip.error());
    if (*is_gzip) return gzip_stream::over(std::move(*file));
    const auto is_zstd = (*file)->starts_with(zstd_magic);
    if (!is_zstd) return fail(is_zstd.error());
    if (*is_zstd) return zstd_stream::over(std::move(*file));
    return std::unique_ptr<byte_stream>(std::move(*file));
}

} // namespace everbloom::cli
