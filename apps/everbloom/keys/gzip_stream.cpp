#include "keys/gzip_stream.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace everbloom::cli {
namespace {

constexpr int gzip_window = 15 + 16; // zlib's way of saying: the largest window, with a gzip header
constexpr char first_byte_of_gzip = '\x1f';

} // namespace

gzip_stream::gzip_stream(std::unique_ptr<byte_stream> file, std::string name)
    : input_(std::move(file), std::move(name), "gzip") {
    if (inflateInit2(&state_, gzip_window) != Z_OK) throw std::bad_alloc();
}

gzip_stream::~gzip_stream() { inflateEnd(&state_); }

result<bool> gzip_stream::next_member() {
    auto more = input_.skip_zeros();
    if (!more || !*more) return more;
    if (input_.unread()[0] != first_byte_of_gzip) return fail(input_.is_followed_by_other_data());
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
        const auto fed = input_.feed();
        if (!fed) return fail(fed.error());
        if (!*fed) return fail(input_.ends_early());
        const auto compressed = input_.unread();
        state_.next_in = reinterpret_cast<Bytef*>(compressed.data());
        state_.avail_in = static_cast<uInt>(compressed.size());
        state_.next_out = reinterpret_cast<Bytef*>(into.data());
        state_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max()));
        const uInt room = state_.avail_out;
        const int status = inflate(&state_, Z_NO_FLUSH);
        input_.use(compressed.size() - state_.avail_in);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END)
            in_member_ = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return fail(input_.damaged("is damaged"));
        if (state_.avail_out != room) return room - state_.avail_out;
    }
}

} // namespace everbloom::cli
