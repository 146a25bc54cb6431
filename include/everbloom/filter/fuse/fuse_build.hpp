// Building a fuse filter: the cells that solve the equations of all keys.
//
//   1  Repeated names are dropped: two equal equations never get a cell of their own.
//   2  Peeling. A cell that only one key uses can be given to that key: whatever the other two cells become, it makes the XOR right. That
//      key is set aside, which may leave other cells with one user, and so on until no key is left.
//   3  In the opposite order, every key sets the cell that it was given.
//
// If keys are left and every cell has several users, there is no such order. Then the next seed is tried, with a few more cells: how many a
// set needs is up to chance, and a seed costs less than the bytes that would be shipped.
#pragma once

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/fuse/fuse_spec.hpp>

#include <cstdint>
#include <vector>

namespace everbloom {

/// The cells of a key in the peeling are numbers of 32 bits.
inline constexpr std::uint64_t most_fuse_keys = 3'000'000'000;

/// Seeds that are tried. Usual sets need up to 30; by the last one a set has enough cells for nearly every seed to solve it.
inline constexpr std::uint64_t most_fuse_seeds = 300;

/// The segments for this many different keys at the seed with that number; the first ones are too few for most sets.
[[nodiscard]] fuse_spec fuse_segments(const fuse_spec& spec, std::uint64_t keys, std::uint64_t seed) noexcept;
/// Those that a set of this many keys is likely to end with.
[[nodiscard]] fuse_spec usual_fuse_segments(const fuse_spec& spec, std::uint64_t keys) noexcept;

struct built_fuse {
    fuse_spec spec;
    heap_words cells;
};

/// A filter of the keys with these names (fuse_places.hpp). Of `wanted` it keeps the width of the fingerprints and the identity.
[[nodiscard]] result<built_fuse> build_fuse(const fuse_spec& wanted, std::vector<std::uint64_t> names);
/// The same with these segments and no others.
[[nodiscard]] result<built_fuse> build_fuse_in(const fuse_spec& wanted, std::vector<std::uint64_t> names,
                                               std::uint64_t seeds = most_fuse_seeds);

} // namespace everbloom
