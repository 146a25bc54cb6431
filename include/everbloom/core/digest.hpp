// digest: 128 well-mixed bits computed by a hash function in hash/. All that a filter sees of a key.
#pragma once

#include <compare>
#include <cstdint>

namespace everbloom {

struct digest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend constexpr bool operator==(const digest&, const digest&) = default;
    friend constexpr auto operator<=>(const digest&, const digest&) = default;
};

} // namespace everbloom
