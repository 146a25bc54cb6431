// dcso: the hash of the `.bloom` files that DCSO's program `bloom` writes, FNV-1 with 64 bits, for filters converted from such files.
//
// It has no key and mixes badly: the last byte of a key changes only the lowest eight bits. The probe scheme of the same name takes
// it unchanged, from `high`. All other users of such a digest start from `low`, where it is mixed once more.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/hash/hash_key.hpp>

namespace everbloom {

class dcso_hasher {
public:
    dcso_hasher() noexcept = default;
    /// The key is stored in the file but not used.
    explicit dcso_hasher(hash_key key) noexcept : key_(key) {}

    [[nodiscard]] digest operator()(key_bytes key) const noexcept {
        std::uint64_t hash = 0xcbf29ce484222325; // offset basis and prime of the definition of FNV
        for (const char byte : std::string_view(key.data(), key.bytes())) {
            hash = (hash * 0x100000001b3) ^ static_cast<std::uint8_t>(byte);
        }
        const wide_product stirred = multiply_wide(hash ^ root_of_two_bits, golden_ratio_bits);
        return {stirred.high ^ stirred.low, hash};
    }

    [[nodiscard]] hash_id id() const noexcept { return hash_id::dcso; }
    [[nodiscard]] hash_key key() const noexcept { return key_; }

private:
    hash_key key_;
};

static_assert(Hasher<dcso_hasher>);

} // namespace everbloom
