// any_hasher: the hash that a file names, chosen at run time; one decision per batch, not per key.
#pragma once

#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/hash/hash_key.hpp>
#include <everbloom/hash/integer.hpp>
#include <everbloom/hash/xxh3_number.hpp>

#include <span>
#include <string_view>

namespace everbloom {

class any_hasher {
public:
    any_hasher() noexcept = default;
    any_hasher(hash_id id, hash_key key) noexcept : id_(id), key_(key), whitening_(whitening_of(id, key)) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept;
    /// The digest of the number's eight bytes. The short hashes are in line: a call would cost more than they do.
    [[nodiscard]] digest operator()(std::uint64_t number) const noexcept {
        if (id_ == hash_id::integer) [[likely]]
            return integer_hasher::of(number, whitening_);
#if !defined(EVERBLOOM_SMALL)
        if (id_ == hash_id::xxh3) return xxh3_number::of(number, whitening_);
#endif
        return of_number(number);
    }

    /// The same for a caller that has asked `id` before: it is `integer`, or `xxh3`.
    [[nodiscard, gnu::always_inline]] digest of_integer(std::uint64_t number) const noexcept {
        return integer_hasher::of(number, whitening_);
    }
    [[nodiscard, gnu::always_inline]] digest of_xxh3(std::uint64_t number) const noexcept {
        return xxh3_number::mixed(number, whitening_, xxh3_number::eight_bytes);
    }

    /// Calls `use(digests)`, digests_on_demand of these numbers whose hash is inlined, and returns true; or returns false, if this hash is
    /// too long for that.
    template <class Use>
    [[gnu::always_inline]] bool digests_of(std::span<const std::uint64_t> numbers, Use use) const {
        const std::uint64_t whitening = whitening_;
        const std::uint64_t* const first = numbers.data();
        if (id_ == hash_id::integer) {
            const auto make = [=](std::size_t i) noexcept { return integer_hasher::of(first[i], whitening); };
            use(digests_on_demand(numbers.size(), make));
        } else if (id_ == hash_id::xxh3) {
            const auto make = [=](std::size_t i) noexcept { return xxh3_number::of(first[i], whitening); };
            use(digests_on_demand(numbers.size(), make));
        } else {
            return false;
        }
        return true;
    }

    /// digests[i] becomes the digest of keys[i]; both spans have the same length.
    void operator()(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept;
    void operator()(std::span<const std::uint64_t> numbers, std::span<digest> digests) const noexcept;

    [[nodiscard]] hash_id id() const noexcept { return id_; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

    friend bool operator==(const any_hasher& a, const any_hasher& b) noexcept = default;

private:
    [[nodiscard]] digest of_number(std::uint64_t number) const noexcept;
    [[nodiscard]] static std::uint64_t whitening_of(hash_id id, const hash_key& key) noexcept {
        return id == hash_id::xxh3 ? xxh3_number::whitening_of(key.seed()) : integer_hasher::whitening_of(key);
    }

    hash_id id_ = hash_id::siphash;
    hash_key key_;
    std::uint64_t whitening_ = 0; // of the key, for numbers
};

static_assert(Hasher<any_hasher>);

} // namespace everbloom
