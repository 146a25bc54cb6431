#include "keys/bzip2_stream.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace everbloom::cli {

bzip2_stream::bzip2_stream(std::unique_ptr<byte_stream> file, std::string name)
    : input_(std::move(file), std::move(name), "bzip2") {
    begin();
}

bzip2_stream::~bzip2_stream() { BZ2_bzDecompressEnd(&state_); }

void bzip2_stream::begin() {
    constexpr int quiet = 0;
    constexpr int fast = 0; // 3.6 MB at most
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, quiet, fast) != BZ_OK) throw std::bad_alloc();
}

result<bool> bzip2_stream::next_stream() {
    auto more = input_.skip_zeros();
    if (!more || !*more) return more;
    if (input_.unread()[0] != 'B') return fail(input_.is_followed_by_other_data());
    BZ2_bzDecompressEnd(&state_);
    begin();
    in_stream_ = true;
    return true;
}

result<std::size_t> bzip2_stream::read(std::span<char> into) {
    for (;;) {
        if (!in_stream_) {
            const auto more = next_stream();
            if (!more) return fail(more.error());
            if (!*more) return 0;
        }
        // The decoder buffers a block of up to 900 kB: it may have output left at the end of the file.
        const auto fed = input_.feed();
        if (!fed) return fail(fed.error());
        const auto compressed = input_.unread();
        state_.next_in = compressed.data();
        state_.avail_in = static_cast<unsigned>(compressed.size());
        state_.next_out = into.data();
        state_.avail_out = static_cast<unsigned>(std::min<std::size_t>(into.size(), std::numeric_limits<int>::max()));
        const unsigned room = state_.avail_out;
        const int status = BZ2_bzDecompress(&state_);
        input_.use(compressed.size() - state_.avail_in);
        if (status == BZ_MEM_ERROR) throw std::bad_alloc();
        if (status == BZ_STREAM_END)
            in_stream_ = false;
        else if (status != BZ_OK)
            return fail(input_.damaged("is damaged"));
        if (state_.avail_out != room) return room - state_.avail_out;
        if (in_stream_ && !*fed) return fail(input_.ends_early());
    }
}

} // namespace everbloom::cli
