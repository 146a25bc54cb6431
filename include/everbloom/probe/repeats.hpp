// may_repeat: are some of a few positions possibly equal? Almost never in a table of useful size, so the answer must be cheap.
//
// Comparing all pairs one by one costs more than everything else an insertion does. Four at a time it is nearly free: the low
// halves of the positions are gathered into vectors of four, and each vector is compared with the others in all four
// rotations. Equal positions have equal low halves, so "no" is sure; a "yes" is checked by the caller.
#pragma once

#include <cstdint>
#include <cstring>

namespace everbloom {

using four_halves = std::uint32_t __attribute__((vector_size(16)));

/// The low halves of four positions.
[[nodiscard]] inline four_halves low_halves(const std::uint64_t* positions) noexcept {
    four_halves first;
    four_halves second;
    std::memcpy(&first, positions, sizeof first);
    std::memcpy(&second, positions + 2, sizeof second);
    return __builtin_shufflevector(first, second, 0, 2, 4, 6);
}

/// Looks at `fours` groups of four positions.
[[nodiscard]] inline bool may_repeat(const std::uint64_t* positions, unsigned fours) noexcept {
    std::int32_t __attribute__((vector_size(16))) equal{}; // what comparing vectors gives: all ones where equal
    for (unsigned i = 0; i < fours; ++i) {
        const four_halves own = low_halves(positions + 4 * i);
        const four_halves once = __builtin_shufflevector(own, own, 1, 2, 3, 0);
        const four_halves twice = __builtin_shufflevector(own, own, 2, 3, 0, 1);
        equal |= (own == once) | (own == twice);
        if (i == 0) continue;
        const four_halves thrice = __builtin_shufflevector(own, own, 3, 0, 1, 2);
        for (unsigned j = 0; j < i; ++j) {
            const four_halves other = low_halves(positions + 4 * j);
            equal |= (other == own) | (other == once) | (other == twice) | (other == thrice);
        }
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &equal, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

} // namespace everbloom
