// integer: a hash of three multiplications for 64-bit keys that no attacker controls.
//
// A 64 x 64 bit product, folded to 64 bits (high half xor low half), twice: after one fold multiples of 2^16 still lie so regularly
// that a filter planned for 0.1 % measured 0.65 %, after two they look random. A third product makes the other half of the digest. The
// digests of two integers are equal only if their folds are: chance 2^-64 a pair, so
// the fingerprint kinds should use a wider hash above 2^30 keys. Keys that are not eight bytes long go through XXH3.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/hash/hash_key.hpp>
#include <everbloom/hash/xxh3_digest.hpp>

#include <cstring>

namespace everbloom {

class integer_hasher {
public:
    integer_hasher() noexcept : integer_hasher(hash_key{}) {}
    explicit integer_hasher(hash_key key) noexcept : key_(key), whitening_(whitening_of(key)) {}

    [[nodiscard]] digest operator()(std::uint64_t number) const noexcept { return of(number, whitening_); }

    /// The same with the key already whitened, for callers that keep the result.
    [[nodiscard]] static std::uint64_t whitening_of(const hash_key& key) noexcept {
        return key.seed() ^ golden_ratio_bits;
    }
    [[nodiscard]] static digest of(std::uint64_t number, std::uint64_t whitening) noexcept {
        const std::uint64_t low = fold(fold(number ^ whitening, first_multiplier), second_multiplier);
        return {low, low * third_multiplier};
    }

    [[nodiscard]] digest operator()(key_bytes key) const noexcept {
        if (key.bytes() != sizeof(std::uint64_t)) return xxh3_digest(key, key_.seed());
        std::uint64_t number = 0;
        std::memcpy(&number, key.data(), sizeof number);
        return (*this)(number);
    }

    [[nodiscard]] hash_id id() const noexcept { return hash_id::integer; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

    static constexpr std::uint64_t first_multiplier = golden_ratio_bits;
    static constexpr std::uint64_t second_multiplier = 0xa0761d6478bd642f; // odd, half of its bits set, as the next
    static constexpr std::uint64_t third_multiplier = 0xd6e8feb86659fd93;

private:
    [[nodiscard]] static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
        const wide_product product = multiply_to_halves(a, b);
        return product.high ^ product.low;
    }

    hash_key key_;
    std::uint64_t whitening_;
};

static_assert(Hasher<integer_hasher>);

} // namespace everbloom
