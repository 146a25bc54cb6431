// Families of keys: as many different digests as a test wants, the same ones on every run.
//
// Two families have no key in common (a chance of 2^-64 for families of 2^32 keys), so one can be the members and the
// other the absent keys.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::support {

class key_family {
public:
    explicit key_family(std::uint64_t seed) noexcept : hash_(hash_key::from_seed(seed)) {}

    [[nodiscard]] digest operator[](std::uint64_t index) const noexcept { return hash_(index); }

    [[nodiscard]] std::vector<digest> first(std::uint64_t count) const {
        std::vector<digest> keys;
        keys.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) keys.push_back((*this)[i]);
        return keys;
    }

private:
    xxh3_hasher hash_;
};

} // namespace everbloom::support
