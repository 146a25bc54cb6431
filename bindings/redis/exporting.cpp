#include "exporting.hpp"

#include <algorithm>

namespace everbloom::redis {
namespace {

/// Checksums are those of a MiB.
constexpr std::uint64_t least_step_of_export = std::uint64_t{1} << 20;

} // namespace

work::progress exporting::advance(const call&, std::uint64_t bytes) {
    bytes_.reserve(static_cast<std::size_t>(parts_.bytes())); // not touched yet
    const std::uint64_t most = std::min(std::max(bytes, least_step_of_export), parts_.bytes());
    const auto part = parts_.read(value_->file, bytes_.size(), most);
    bytes_.insert(bytes_.end(), part.begin(), part.end());
    return bytes_.size() == parts_.bytes() ? progress::done : progress::under_way;
}

void exporting::end(const call&, job_reply& reply) { reply.bytes = std::move(bytes_); }

} // namespace everbloom::redis
