#include "keys/xz_stream.hpp"

#include <new>

namespace everbloom::cli {

xz_stream::xz_stream(std::unique_ptr<byte_stream> file, std::string name, container kind)
    : input_(std::move(file), std::move(name), kind == container::xz ? "xz" : "lzma") {
    const lzma_ret made = kind == container::xz ? lzma_stream_decoder(&state_, most_decoder_bytes, LZMA_CONCATENATED)
                                                : lzma_alone_decoder(&state_, most_decoder_bytes);
    if (made != LZMA_OK) throw std::bad_alloc();
}

xz_stream::~xz_stream() { lzma_end(&state_); }

failure xz_stream::failure_of(lzma_ret status) const {
    switch (status) {
    case LZMA_MEMLIMIT_ERROR: return input_.needs_too_much("xz -dc");
    case LZMA_BUF_ERROR: return input_.ends_early();
    case LZMA_OPTIONS_ERROR: return input_.damaged("uses an unknown method,");
    default: return input_.damaged("is damaged");
    }
}

result<std::size_t> xz_stream::end() {
    const auto more = input_.feed();
    if (!more) return fail(more.error());
    if (*more) return fail(input_.is_followed_by_other_data());
    return 0;
}

result<std::size_t> xz_stream::read(std::span<char> into) {
    if (is_complete_) return end();
    for (;;) {
        const auto fed = input_.feed();
        if (!fed) return fail(fed.error());
        const auto compressed = input_.unread();
        state_.next_in = reinterpret_cast<const std::uint8_t*>(compressed.data());
        state_.avail_in = compressed.size();
        state_.next_out = reinterpret_cast<std::uint8_t*>(into.data());
        state_.avail_out = into.size();
        const lzma_ret status = lzma_code(&state_, *fed ? LZMA_RUN : LZMA_FINISH);
        input_.use(compressed.size() - state_.avail_in);
        if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
        const std::size_t made = into.size() - state_.avail_out;
        if (status == LZMA_STREAM_END) {
            is_complete_ = true;
            return made == 0 ? end() : result<std::size_t>(made);
        }
        if (status != LZMA_OK) return fail(failure_of(status));
        if (made != 0) return made;
    }
}

} // namespace everbloom::cli
