// Bucket occupancy with fingerprints at uniform random places: only their numbers are simulated.
#pragma once

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::lab::elastic {

/// An endless sequence of random places below `range`.
class random_places {
public:
    random_places(std::uint64_t seed, std::uint64_t range) noexcept : state_(mix(seed)), range_(range) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        state_ += golden_ratio_bits; // mixing consecutive multiples of it gives random numbers [Steele14]
        return reduce(mix(state_), range_);
    }

private:
    std::uint64_t state_;
    std::uint64_t range_;
};

/// The two-level tree of [Wu21 §3.3.2].
struct bucket_tree {
    std::uint64_t buckets = 0; // on level 1
    std::uint64_t slots = 8;
    std::uint64_t branches = 3;

    [[nodiscard]] std::uint64_t shared_buckets() const noexcept { return (buckets + branches - 1) / branches; }
    [[nodiscard]] std::uint64_t all_slots() const noexcept { return slots * (buckets + shared_buckets()); }

    /// Number of fingerprints inserted before the first overflow.
    [[nodiscard]] std::uint64_t fill(std::uint64_t seed) const {
        std::vector<std::uint8_t> own(buckets, 0);
        std::vector<std::uint8_t> shared(shared_buckets(), 0);
        random_places places(seed, buckets);
        for (std::uint64_t inside = 0;; ++inside) {
            const std::uint64_t place = places.next();
            if (own[place] < slots) {
                ++own[place];
            } else if (std::uint8_t& over = shared[place / branches]; over < slots) {
                ++over;
            } else {
                return inside;
            }
        }
    }
};

} // namespace everbloom::lab::elastic
