// The fast functions for one key. Nothing in here allocates or throws, except for filters that grow, which refuse the key instead.
#include "handle.hpp"

#include <everbloom/jobs/shard.hpp>

namespace {

/// Can this filter have such a key? A handle without a filter answers for itself.
[[gnu::always_inline]] inline bool takes_numbers(const eb_filter* filter) noexcept {
    return filter != nullptr && filter->holds_numbers;
}
[[gnu::always_inline]] inline bool takes_bytes(const eb_filter* filter, const void* key, std::size_t bytes) noexcept {
    return filter != nullptr && !filter->holds_numbers && (key != nullptr || bytes == 0);
}

[[gnu::always_inline]] inline everbloom::digest digest_of_bytes(const eb_filter* filter, const void* key,
                                                                std::size_t bytes) noexcept {
    const auto* data = key == nullptr ? "" : static_cast<const char*>(key);
    return filter->core.hasher()(everbloom::key_bytes(std::string_view(data, bytes)));
}

[[gnu::always_inline]] inline int insert(eb_filter* filter, everbloom::digest item) noexcept {
    if (!filter->core.take_room()) [[unlikely]]
        return EB_OVER_CAPACITY;
    return static_cast<int>(filter->core.filter().insert_one(item));
}

[[gnu::always_inline]] inline int erase(eb_filter* filter, everbloom::digest item) noexcept {
    const everbloom::erase_outcome outcome = filter->core.filter().erase_one(item);
    if (succeeded(outcome)) filter->core.give_room();
    return static_cast<int>(outcome);
}

} // namespace

int eb_query_u64(const eb_filter* filter, uint64_t key) {
    if (!takes_numbers(filter)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return filter->core.filter().may_contain(filter->core.hasher()(key)) ? 1 : 0;
}

int eb_query_bytes(const eb_filter* filter, const void* key, size_t bytes) {
    if (!takes_bytes(filter, key, bytes)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return filter->core.filter().may_contain(digest_of_bytes(filter, key, bytes)) ? 1 : 0;
}

int eb_insert_u64(eb_filter* filter, uint64_t key) {
    if (!takes_numbers(filter)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return insert(filter, filter->core.hasher()(key));
}

int eb_insert_bytes(eb_filter* filter, const void* key, size_t bytes) {
    if (!takes_bytes(filter, key, bytes)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return insert(filter, digest_of_bytes(filter, key, bytes));
}

int eb_erase_u64(eb_filter* filter, uint64_t key) {
    if (!takes_numbers(filter)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return erase(filter, filter->core.hasher()(key));
}

int eb_erase_bytes(eb_filter* filter, const void* key, size_t bytes) {
    if (!takes_bytes(filter, key, bytes)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return erase(filter, digest_of_bytes(filter, key, bytes));
}

int64_t eb_shard(const void* key, size_t bytes, uint32_t shards) {
    if (shards == 0 || (key == nullptr && bytes != 0)) [[unlikely]]
        return -EB_BAD_PARAMETER;
    return everbloom::shard_of(std::string_view(key == nullptr ? "" : static_cast<const char*>(key), bytes), shards);
}
