#include "integer_batch.hpp"

#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/hash/dcso.hpp>
#include <everbloom/hash/integer.hpp>
#include <everbloom/hash/murmur3.hpp>
#include <everbloom/hash/siphash.hpp>
#include <everbloom/hash/xxh3.hpp>

namespace everbloom {
namespace {

/// Calls `use` with the concrete hash.
template <class Use>
[[gnu::always_inline]] inline auto with_hash(hash_id id, const hash_key& key, Use use) noexcept {
    switch (id) {
    case hash_id::siphash: return use(siphash_hasher(key));
    case hash_id::xxh3: return use(xxh3_hasher(key));
    case hash_id::murmur3: return use(murmur3_hasher(key));
    case hash_id::integer: return use(integer_hasher(key));
    case hash_id::dcso: return use(dcso_hasher(key));
    }
    return use(siphash_hasher(key)); // an id is one of these: files with another do not open
}

/// `hash(keys, digests)` where it has a batch of its own, key by key elsewhere.
template <class Hash, class Key>
void hash_all(const Hash& hash, std::span<const Key> keys, std::span<digest> digests) noexcept {
    if constexpr (requires { hash(keys, digests); }) {
        hash(keys, digests);
    } else {
        for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = hash(keys[i]);
    }
}

} // namespace

digest any_hasher::operator()(key_bytes key) const noexcept {
#if !defined(EVERBLOOM_SMALL)
    const std::size_t beyond_least = key.bytes() - xxh3_short::least_bytes;
    if (id_ == hash_id::xxh3 && beyond_least <= xxh3_short::most_bytes - xxh3_short::least_bytes)
        return xxh3_short(key_.seed())(key.data(), key.bytes());
#endif
    return with_hash(id_, key_, [&](const auto& hash) { return hash(key); });
}

digest any_hasher::of_number(std::uint64_t number) const noexcept {
    return with_hash(id_, key_, [&](const auto& hash) { return hash(key_bytes(number)); });
}

void any_hasher::operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept {
    with_hash(id_, key_, [&](const auto& hash) { hash_all(hash, keys, digests); });
}

void any_hasher::operator()(std::span<const std::uint64_t> numbers, std::span<digest> digests) const noexcept {
    if (id_ == hash_id::integer && kernel::hash_integers(numbers, whitening_, digests)) return;
    with_hash(id_, key_, [&](const auto& hash) { hash_all(hash, numbers, digests); });
}

} // namespace everbloom
