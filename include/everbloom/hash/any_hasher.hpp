// any_hasher: the hash that a file names, chosen at run time; one decision per batch, not per key.
#pragma once

#include <everbloom/hash/dcso.hpp>
#include <everbloom/hash/integer.hpp>
#include <everbloom/hash/murmur3.hpp>
#include <everbloom/hash/siphash.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <span>
#include <variant>

namespace everbloom {

class any_hasher {
public:
    any_hasher() noexcept = default;

    any_hasher(hash_id id, hash_key key) noexcept {
        switch (id) {
        case hash_id::siphash: hasher_ = siphash_hasher(key); break;
        case hash_id::xxh3: hasher_ = xxh3_hasher(key); break;
        case hash_id::murmur3: hasher_ = murmur3_hasher(key); break;
        case hash_id::integer: hasher_ = integer_hasher(key); break;
        case hash_id::dcso: hasher_ = dcso_hasher(key); break;
        }
    }

    [[nodiscard]] digest operator()(key_bytes key) const noexcept {
        return std::visit([&](const auto& hash) { return hash(key); }, hasher_);
    }

    /// digests[i] becomes the digest of keys[i]; both spans have the same length.
    void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept {
        std::visit(
            [&](const auto& hash) {
                for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = hash(key_bytes(keys[i]));
            },
            hasher_);
    }

    [[nodiscard]] hash_id id() const noexcept {
        return std::visit([](const auto& hash) { return hash.id(); }, hasher_);
    }
    [[nodiscard]] hash_key key() const noexcept {
        return std::visit([](const auto& hash) { return hash.key(); }, hasher_);
    }

    friend bool operator==(const any_hasher& a, const any_hasher& b) noexcept {
        return a.id() == b.id() && a.key() == b.key();
    }

private:
    std::variant<siphash_hasher, xxh3_hasher, murmur3_hasher, integer_hasher, dcso_hasher> hasher_;
};

static_assert(Hasher<any_hasher>);

} // namespace everbloom
