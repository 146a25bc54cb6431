#include "keys/peeked_stream.hpp"

#include <algorithm>

namespace everbloom::cli {

result<bool> peeked_stream::look_further(std::size_t most) {
    if (ended_) return false;
    const std::size_t before = start_.size();
    start_.resize(before + most);
    const auto got = from_->read(std::span(start_).subspan(before));
    start_.resize(before + got.value_or(0));
    if (!got) return fail(got.error());
    ended_ = *got == 0;
    return !ended_;
}

result<std::size_t> peeked_stream::read(std::span<char> into) {
    if (start_.empty()) return ended_ ? result<std::size_t>(0) : from_->read(into);
    const std::size_t count = std::min(into.size(), start_.size());
    std::copy_n(start_.begin(), count, into.begin());
    start_.erase(0, count);
    return count;
}

std::uint64_t peeked_stream::file_offset() const noexcept {
    // The file position of decompressed bytes is unknown.
    return from_->file_offset() - (is_decompressed() ? 0 : start_.size());
}

} // namespace everbloom::cli
