// Hash adaptive Bloom filter, HABF [Xie21]: members near a known negative use other hash functions than the rest.
//
// There are 15 hash functions. A member usually uses the first k of them. If a known negative is a false positive, one of its bits may
// be there for a single member's sake; that member takes another function instead, whose bit is set already or whose bit makes no other
// known negative a false positive, and the old bit is cleared. Members with a choice of their own are recorded in the hash expressor, an array of
// cells of 5 bits (a function, or none, and a mark for the last one): starting at a cell given by the key, each cell names a function
// whose hash of the key leads to the next cell. Members that agree on a cell share it. A query tries the first k functions, then those that
// the hash expressor names for its key, if it names k of them.
//
// Deviation: one pass over the false positives, without the paper's order by cost, as all negatives count the same here.
#pragma once

#include "lab/rivals/packed_cells.hpp"
#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class habf : public rival {
public:
    /// `hashes` is 2 to 8; `expressor_share` of the bits is for the hash expressor.
    habf(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits, unsigned hashes = 3,
         double expressor_share = 0.2);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return filter_.size() + expressor_.bits(); }
    [[nodiscard]] std::uint64_t adjusted_members() const noexcept { return adjusted_; }

private:
    static constexpr unsigned functions = 15; // their numbers are 1 to 15; 0 is an empty cell
    static constexpr unsigned cell_bits = 5;
    static constexpr std::uint64_t last_mark = 16;
    using function_set = std::vector<std::uint8_t>;

    /// Places of a known negative, and of members by bit, while the filter is built.
    struct builder;

    [[nodiscard]] std::uint64_t bit_of(digest item, unsigned function) const noexcept;
    [[nodiscard]] std::uint64_t first_cell(digest item) const noexcept;
    [[nodiscard]] std::uint64_t next_cell(digest item, unsigned function) const noexcept;
    /// Is every bit of these functions set?
    [[nodiscard]] bool has_all(digest item, std::span<const std::uint8_t> chosen, line_log* log) const;
    /// The functions that the expressor names for a key; empty if it names none.
    [[nodiscard]] function_set recorded(digest item, line_log* log) const;
    /// Records a set of functions for a key; false, and nothing changed, if other keys' cells are in the way.
    [[nodiscard]] bool record(digest item, const function_set& chosen);

    unsigned hashes_;
    function_set usual_; // 1 ... k
    packed_cells filter_;
    packed_cells expressor_;
    std::uint64_t adjusted_ = 0;
};

} // namespace everbloom::lab::rivals
