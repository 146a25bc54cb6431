#include "exporting.hpp"

#include <algorithm>

namespace everbloom::redis {

work::progress exporting::advance(const call&, std::uint64_t bytes) {
    bytes_.reserve(static_cast<std::size_t>(parts_.bytes())); // not touched yet
    const auto part = parts_.read(value_->file, bytes_.size(), std::min<std::uint64_t>(bytes, parts_.bytes()));
    bytes_.insert(bytes_.end(), part.begin(), part.end());
    return bytes_.size() == parts_.bytes() ? progress::done : progress::under_way;
}

void exporting::end(const call&, job_reply& reply) { reply.bytes = std::move(bytes_); }

} // namespace everbloom::redis
