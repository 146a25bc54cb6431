// Where a key lies in a yes-no filter: its part, its k positions in the yes-filter, its k' positions in every no-filter.
//
// The two sets of hash functions, H and W of the paper, are two independent mixes of the key's digest. A seed gives another pair of
// sets: a filter whose hash functions turned out badly is built again with the next seed. Seed 0 leaves the digest as it is, so the
// yes-filter of an unseeded filter has the positions of a Bloom filter of the same size.
#pragma once

#include <everbloom/filter/yes_no/yes_no_spec.hpp>

namespace everbloom {

class yes_no_places {
public:
    explicit yes_no_places(const yes_no_spec& spec) noexcept
        : parts_(spec.parts), yes_{spec.yes_bits, static_cast<unsigned>(spec.yes_hashes), spec.scheme()},
          no_{spec.no_bits, static_cast<unsigned>(spec.no_hashes), spec.scheme()} {}

    /// Does not depend on the seed, for every part has its own.
    [[nodiscard]] std::uint64_t part(digest item) const noexcept {
        if (parts_ == 1) return 0;
        return reduce(mix(item.low ^ (item.high * golden_ratio_bits)), parts_);
    }

    [[nodiscard]] position_list yes(digest item, std::uint64_t seed) const noexcept {
        return position_list::all(seeded(item, seed), yes_);
    }
    [[nodiscard]] position_list no(digest item, std::uint64_t seed) const noexcept {
        return position_list::all(negated(seeded(item, seed)), no_);
    }

    /// The digest that the hash functions of this seed use.
    [[nodiscard]] static digest seeded(digest item, std::uint64_t seed) noexcept {
        if (seed == 0) return item;
        return {mix(item.low + seed * golden_ratio_bits), mix(item.high + seed * root_of_two_bits)};
    }
    /// The digest that the no-filters use for a seeded key.
    [[nodiscard]] static digest negated(digest seeded) noexcept {
        return {mix(seeded.high ^ golden_ratio_bits), mix(seeded.low ^ root_of_two_bits)};
    }

    [[nodiscard]] const probing& yes_probing() const noexcept { return yes_; }
    [[nodiscard]] const probing& no_probing() const noexcept { return no_; }

private:
    std::uint64_t parts_;
    probing yes_;
    probing no_;
};

} // namespace everbloom
