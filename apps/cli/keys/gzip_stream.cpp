#include "gzip_stream.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace everbloom::cli {
namespace {

constexpr std::size_t compressed_block_bytes = std::size_t{1} << 18;
constexpr int gzip_window = 15 + 16; // zlib's way of saying: the largest window, with a gzip header

} // namespace

gzip_stream::gzip_stream(std::unique_ptr<plain_stream> file)
    : file_(std::move(file)), compressed_(compressed_block_bytes) {}

result<std::unique_ptr<gzip_stream>> gzip_stream::over(std::unique_ptr<plain_stream> file) {
    std::unique_ptr<gzip_stream> made(new gzip_stream(std::move(file)));
    if (inflateInit2(&made->state_, gzip_window) != Z_OK) throw std::bad_alloc();
    return made;
}

gzip_stream::~gzip_stream() { inflateEnd(&state_); }

failure gzip_stream::damaged(std::string_view how) const {
    return {failure_reason::damaged, file_->name() + ": the gzip data " + std::string(how) + " at byte " +
                                         std::to_string(file_offset()) + "; get the file again"};
}

result<bool> gzip_stream::feed() {
    if (state_.avail_in != 0) return true;
    const auto got = file_->read(compressed_);
    if (!got) return fail(got.error());
    state_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    state_.avail_in = static_cast<uInt>(*got);
    return *got != 0;
}

/// Behind a member: another one, zeros that fill up a tape or a block, or the end.
result<bool> gzip_stream::next_member() {
    for (;;) {
        const auto more = feed();
        if (!more || !*more) return more;
        if (*state_.next_in != 0) break;
        ++state_.next_in;
        --state_.avail_in;
    }
    if (*state_.next_in != static_cast<unsigned char>(gzip_magic[0]))
        return fail(damaged("is followed by other bytes"));
    inflateReset(&state_);
    in_member_ = true;
    return true;
}

result<std::size_t> gzip_stream::read(std::span<char> into) {
    for (;;) {
        if (!in_member_) {
            const auto more = next_member();
            if (!more) return fail(more.error());
            if (!*more) return 0;
        }
        const auto fed = feed();
        if (!fed) return fail(fed.error());
        if (!*fed) return fail(damaged("ends too early,"));
        state_.next_out = reinterpret_cast<Bytef*>(into.data());
        state_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max()));
        const uInt room = state_.avail_out;
        const int status = inflate(&state_, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END)
            in_member_ = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return fail(damaged("is damaged"));
        if (state_.avail_out != room) return room - state_.avail_out;
    }
}

} // namespace everbloom::cli
