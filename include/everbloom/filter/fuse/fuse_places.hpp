// fuse_places: from the hash of a key to its name, its three cells and its fingerprint.
//
// The name is 64 bits that stand for the key: keys with equal names are one key to the filter. The seed makes a new hash of each name,
// so that a construction that fails can be tried again with other cells.
//
//      hash      | first cell: the high bits | ... | offset in the second segment: 18 bits | in the third: 18 bits |
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/filter/fuse/fuse_spec.hpp>
#include <everbloom/filter/quotient/quotient_places.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/positions.hpp>
#include <everbloom/probe/reduce.hpp>

#include <array>

namespace everbloom {

class fuse_places {
public:
    explicit fuse_places(const fuse_spec& spec) noexcept
        : first_cells_(spec.first_cells()), segment_cells_(spec.segment_cells),
          seed_(mix(spec.seed + golden_ratio_bits)),
          fingerprint_shift_(static_cast<unsigned>(64 - spec.fingerprint_bits)),
          identity_(static_cast<fuse_identity>(spec.identity)) {
        if (identity_ == fuse_identity::quotient) source_ = quotient_places(spec.source());
    }

    [[nodiscard]] std::uint64_t name(digest item) const noexcept {
        if (identity_ == fuse_identity::digest) [[likely]]
            return item.low + item.high * golden_ratio_bits;
        if (identity_ == fuse_identity::stored) return item.low >> (64 - stored_scheme_bits);
        // An item may lie in either of its lines, so both fingerprints are one name.
        return source_.class_number(source_.fingerprint(item));
    }

    [[nodiscard]] std::uint64_t hash(std::uint64_t name) const noexcept { return mix(name + seed_); }

    using three_cells = std::array<std::uint64_t, fuse_spec::cells_per_key>;
    /// In three neighbouring segments, so they are always three.
    [[nodiscard]] three_cells cells(std::uint64_t hash) const noexcept {
        const std::uint64_t first = reduce(hash, first_cells_);
        const std::uint64_t offsets = segment_cells_ - 1;
        return {first, (first + segment_cells_) ^ (hash >> fuse_spec::most_segment_log & offsets),
                (first + 2 * segment_cells_) ^ (hash & offsets)};
    }
    /// What the three cells of a member are together.
    [[nodiscard]] std::uint64_t fingerprint(std::uint64_t hash) const noexcept {
        return mix(hash ^ root_of_two_bits) >> fingerprint_shift_;
    }

private:
    std::uint64_t first_cells_;
    std::uint64_t segment_cells_;
    std::uint64_t seed_;
    unsigned fingerprint_shift_;
    fuse_identity identity_;
    quotient_places source_;
};

} // namespace everbloom
