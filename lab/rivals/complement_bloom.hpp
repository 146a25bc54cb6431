// Complement Bloom filter [Lim15]: a Bloom filter of the members, and one of all the known negatives.
//
// If the first says "maybe" and the second "surely not", the key is a member (among the keys that are in either set). If both say "maybe",
// nothing is known; here the answer is then "no", as the reader of [Carrea16] understands the paper, so that fewer false positives remain
// and members are lost: the only rival with false negatives. Both filters have the same number of bits per key, for the paper has
// no parameter to choose it by.
#pragma once

#include "lab/rivals/plain_bloom.hpp"
#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class complement_bloom : public rival {
public:
    complement_bloom(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override {
        return members_.contains(item, log, 0) && !negatives_.contains(item, log, 1);
    }
    [[nodiscard]] std::uint64_t bits() const noexcept override { return members_.bits() + negatives_.bits(); }

private:
    plain_bloom members_;
    plain_bloom negatives_;
};

} // namespace everbloom::lab::rivals
