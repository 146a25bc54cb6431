// Ribbon filter [Dillinger21]: one linear equation of Booleans per member, with its unknowns in 64 neighbouring rows. For static sets.
//
// The hash of a key gives a starting row, 64 coefficients of which the first is 1, and a fingerprint of r bits. The solution has r bits per
// row, and the XOR of the rows selected by the coefficients is the fingerprint of every member. Equations are added one at a time and
// kept in triangular form (a row per pivot), as keys are put into a hash table; two equations that contradict each other make the
// construction fail, and another seed is tried. Then the rows are solved from the last to the first.
//
// FPR: 2^-r. A query reads 64 rows, which are neighbours: 8 r bytes.
#pragma once

#include "lab/rivals/packed_cells.hpp"
#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class ribbon_filter : public rival {
public:
    static constexpr std::uint64_t width = 64;
    static constexpr unsigned most_seeds = 60;

    /// `fingerprint_bits`, r, is 1 to 32; `rows_per_key` is above 1, 0 is the smallest that usually has a solution within a few seeds.
    [[nodiscard]] static built_rival build(std::span<const digest> members, unsigned fingerprint_bits,
                                           unsigned seeds = most_seeds, double rows_per_key = 0);

    /// Does this seed have a solution in exactly `rows` rows?
    [[nodiscard]] static bool is_solvable(std::span<const digest> members, std::uint64_t rows,
                                          unsigned fingerprint_bits, std::uint64_t seed);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return rows_.bits(); }

private:
    struct equation {
        std::uint64_t start;
        std::uint64_t coefficients; // bit i: row start + i
        std::uint64_t fingerprint;
    };

    ribbon_filter(std::uint64_t rows, unsigned fingerprint_bits, std::uint64_t seed)
        : seed_(seed), rows_(rows, fingerprint_bits) {}
    [[nodiscard]] equation equation_of(digest item) const noexcept;
    [[nodiscard]] bool solve(std::span<const digest> members);

    std::uint64_t seed_;
    packed_cells rows_;
};

} // namespace everbloom::lab::rivals
