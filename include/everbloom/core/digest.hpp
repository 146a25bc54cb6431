// A digest is all a filter ever sees of a key: 128 well-mixed bits, made in the hash room.
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
