// Binary fuse filter [Graf22]: the XOR of three cells is the fingerprint of a member. For static sets.
//
// The array is cut into segments of a power of two cells; the three cells of a key lie in three neighbouring segments, which makes almost
// all sets of n keys solvable with 1.125 n cells (more for small sets). The construction looks for a cell that only one key uses, sets that
// key aside and goes on with the others; in the opposite order every key then has a cell that it may still choose. If no such cell is left
// while keys remain, another seed is tried. Equal keys are removed first: two of them never get a cell of their own.
//
// FPR: 2^-f with f bits per cell, whatever the keys. A query reads three cells, in three cache lines.
#pragma once

#include "lab/rivals/packed_cells.hpp"
#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class binary_fuse_filter : public rival {
public:
    static constexpr unsigned most_seeds = 100;

    /// `fingerprint_bits` is 1 to 32. Fails if none of `seeds` seeds has a solution; `cells_per_key` 0 is the paper's choice.
    [[nodiscard]] static built_rival build(std::span<const digest> members, unsigned fingerprint_bits,
                                           unsigned seeds = most_seeds, double cells_per_key = 0);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return cells_.bits(); }

private:
    struct shape {
        std::uint64_t segment_cells; // a power of two
        std::uint64_t segments;      // in which the first cell of a key may lie; there are two more
        [[nodiscard]] std::uint64_t cells() const noexcept { return segment_cells * (segments + 2); }
        struct places {
            std::uint64_t at[3];
        };
        [[nodiscard]] places of(std::uint64_t hash) const noexcept;
    };

    binary_fuse_filter(const shape& geometry, unsigned fingerprint_bits, std::uint64_t seed)
        : shape_(geometry), seed_(seed), cells_(geometry.cells(), fingerprint_bits) {}
    [[nodiscard]] static shape shape_for(std::uint64_t keys, double cells_per_key);
    [[nodiscard]] bool solve(std::span<const digest> distinct);
    [[nodiscard]] std::uint64_t hash_of(digest item) const noexcept;
    [[nodiscard]] std::uint64_t fingerprint_of(std::uint64_t hash) const noexcept;

    shape shape_;
    std::uint64_t seed_;
    packed_cells cells_;
};

} // namespace everbloom::lab::rivals
