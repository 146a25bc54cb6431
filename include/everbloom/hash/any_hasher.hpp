// any_hasher: the hash that a file names, chosen at run time; one decision per batch, not per key.
#pragma once

#include <everbloom/hash/hash_key.hpp>
#include <everbloom/hash/integer.hpp>

#include <span>
#include <string_view>

namespace everbloom {

class any_hasher {
public:
    any_hasher() noexcept = default;
    any_hasher(hash_id id, hash_key key) noexcept : id_(id), key_(key), whitening_(integer_hasher::whitening_of(key)) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept;
    /// The digest of the number's eight bytes. The hash made for numbers is in line: a call would cost more than it.
    [[nodiscard]] digest operator()(std::uint64_t number) const noexcept {
        if (id_ == hash_id::integer) [[likely]]
            return integer_hasher::of(number, whitening_);
        return of_number(number);
    }

    /// digests[i] becomes the digest of keys[i]; both spans have the same length.
    void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept;
    void operator()(std::span<const std::uint64_t> numbers, std::span<digest> digests) const noexcept;

    [[nodiscard]] hash_id id() const noexcept { return id_; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

    friend bool operator==(const any_hasher& a, const any_hasher& b) noexcept = default;

private:
    [[nodiscard]] digest of_number(std::uint64_t number) const noexcept;

    hash_id id_ = hash_id::siphash;
    hash_key key_;
    std::uint64_t whitening_ = 0; // of the key, for numbers
};

static_assert(Hasher<any_hasher>);

} // namespace everbloom
